// about: Block comments may span lines and stand between any two tokens; a line comment ends at the line.
// expect: holds
// states: 4
// errors: none
/* A block comment
   // with a line comment inside
   "and a quote */
byte/* no blank needed */a/**/=/**/1; // the rest is not read: byte a;
active
proctype main ( ) { a ++ ; ; /* an empty statement between two semicolons is fine */
assert /* here */ ( a == 2 ) }
