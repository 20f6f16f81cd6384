// errors
int main(void) { long id = 20; __asm__ volatile("int $0x80" : "+a"(id)); return id; }
