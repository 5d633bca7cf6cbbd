// about: Formulas are joined by &&, not &.
// expect: refused
// mistake: 6:16 & works on numbers
bool a, b;
init { a = true }
ltl p { <> a & [] b }
