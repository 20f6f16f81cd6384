// constant expression
constexpr int loop() { int sum = 0; for (;;) sum ^= 1; return sum; }
constexpr int value = loop();
int main() { return value; }
