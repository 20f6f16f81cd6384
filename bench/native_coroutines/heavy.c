#if 0
A measurement: it thinks long before each throw, and always makes the same one.
#endif
static int table[256];
static unsigned char small[256];

static int weigh (a, b)
int a, b;
{
  int i, j, c = 1;

  for (i = 0; i < 12; i++) {
    if ((a ^ i) > (table[b & 255] | 3)) c += a * 7 - (b >> 2);
    else for (j = 0; j < 5; j++) c ^= (table[(c + j) & 255] + small[a & 255]) << 1;
    switch (c & 7) {
      case 0: a += b; break;
      case 1: case 2: b = (a << 3) - c; break;
      case 5: table[a & 255] = b ^ i; break;
      default: small[c & 255] += i;
    }
  }
  return a + b + c;
}

int main ()
{
  int s = 1, n;

  for (;;) {
    for (n = 0; n < 22; n++) s += weigh (s, n);
    table[s & 255] += s;
    make_throw (500);
  }
}
