// it imports env.escape, which is not there
__attribute__((import_module("env"), import_name("escape"))) int escape(int);
int main(void) { return escape(1); }
