// your program is too large: its compiler had not enough memory
#define A(x) x x x x x x x x x x
#define B(x) A(A(A(A(x))))
#define C(x) B(B(B(B(x))))
int x = 0 C(+ 1);
int main(void) {}
