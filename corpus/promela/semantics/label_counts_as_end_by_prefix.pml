// about: Every label that begins with "end" is an end label, also "ending" and "end_x"; "the_end" is not.
// expect: violated invalid-end-state
// states: 1
// errors: invalid-end-state
bit go;

active proctype fine()
{
ending:
    go
}

active proctype stuck()
{
the_end:
    go
}
