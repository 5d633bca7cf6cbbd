int i;
active proctype P() { atomic { do :: i++ od } }
