/* Included by include_header.pml. */
#define LIMIT 3

byte counter = 0;

inline bump(amount)
{
    counter = counter + amount
}
