// it imports fd_write with another type than it has
__attribute__((import_module("wasi_snapshot_preview1"), import_name("fd_write"))) int escape(int);
int main(void) { return escape(1); }
