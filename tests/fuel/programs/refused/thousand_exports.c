// it has 1002 exports; it may have 100
#define ONE(name) __attribute__((export_name(#name))) void name(void) {}
#define TEN(name) ONE(name##0) ONE(name##1) ONE(name##2) ONE(name##3) ONE(name##4) \
    ONE(name##5) ONE(name##6) ONE(name##7) ONE(name##8) ONE(name##9)
#define HUNDRED(name) TEN(name##0) TEN(name##1) TEN(name##2) TEN(name##3) TEN(name##4) \
    TEN(name##5) TEN(name##6) TEN(name##7) TEN(name##8) TEN(name##9)
HUNDRED(a) HUNDRED(b) HUNDRED(c) HUNDRED(d) HUNDRED(e)
HUNDRED(f) HUNDRED(g) HUNDRED(h) HUNDRED(i) HUNDRED(j)
int main(void) { return 0; }
