#if 0
The idea of this program is only to show one detail of the C language
to the compile service; as a player it's plain and doesn't hope for
much. It throws the same number again and again, so it never breaks
the rule about the length of a series, and it stays in the range that
is allowed. It neither exploits nor cooperates, because it does not
look at what its opponent throws.

Techniques: none that are worth the name. There are no tables, there
is no prediction, and nothing is learned from earlier throws. Against
itself it wins nothing at all, since equal throws are worth nothing to
either side. Against those who throw more than twice its number it
wins, against those who throw a little more it loses, and that is all
that can be said about its strength in a group. It is meant to be read
by people who want to know what is accepted, and what is not.
There is nothing else to describe, and nothing has been left out
on purpose.
#endif

static int unused(int n) __attribute__((unused, const));
static int unused(int n) { return n; }
int table[4] __attribute__ ((__aligned__(16)));
static __inline__ __attribute__((always_inline)) int fixed(void) { return 1994; }

main()
{
  for (;;)
    make_throw(fixed());
}
