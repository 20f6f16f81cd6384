// bytes when compiled to WebAssembly; it may have at most 2,097,152
#define A(x) x, x, x, x, x, x, x, x
#define B(x) A(A(A(A(x))))
int large[] = { B(B(0x01020304 + __COUNTER__)) };
int main(int count, char **words) { return large[count]; }
