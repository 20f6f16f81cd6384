// uplicate
__attribute__((export_name("memory"))) int twice(void) { return 1; }
int main(void) { return twice(); }
