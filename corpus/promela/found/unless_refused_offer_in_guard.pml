// about: found by differential fuzzing (seed 101, program 428): states differ
// expect: holds
// states: 5
// errors: none
byte x4;
chan q5 = [0] of { bool, bit };

active proctype P2()
{
    if
    ::
        {
            {
                skip
            } unless {
                skip
            }
        } unless {
            q5!0, 0
        }
    ::
        x4 = 1
    fi
}
