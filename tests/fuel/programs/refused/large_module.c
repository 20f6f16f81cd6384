// bytes when compiled to WebAssembly; it may have at most 2,097,152
#define A "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ,."
#define B A A A A A A A A
#define C B B B B B B B B
#define D C C C C C C C C
#define E D D D D D D D D
const char *large = E E E E E E E E E E;
int main(int count, char **words) { return large[count * 1000]; }
