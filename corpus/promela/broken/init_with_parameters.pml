// about: init takes no parameters.
// expect: refused
// mistake: 4:6 `{` is expected
init () {
    skip
}
