// undefined symbol: main
int other(void) { return 1; }
