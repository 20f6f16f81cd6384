// printf is declared or called with other parameters than it has
int printf();
int main(void) { return printf("%d %d", 1, 2); }
