// about: Wolf, goat and cabbage: the assertion says the far bank cannot be reached; the counterexample is the solution.
// expect: violated assertion
// states: 40
// errors: assertion, invalid-end-state
#define SAFE ((wolf != goat || man == goat) && (goat != cabbage || man == goat))
bit man, wolf, goat, cabbage;

active proctype ferry()
{
    do
    :: atomic { man = 1 - man }; SAFE
    :: atomic { man == wolf -> man = 1 - man; wolf = man }; SAFE
    :: atomic { man == goat -> man = 1 - man; goat = man }; SAFE
    :: atomic { man == cabbage -> man = 1 - man; cabbage = man }; SAFE
    :: atomic { man && wolf && goat && cabbage -> assert(false) }
    od
}
