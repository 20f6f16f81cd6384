// Could not find incbin file '/etc/passwd'
__asm__(".section .data.x,\"\",@\n.incbin \"/etc/passwd\"\n");
int main(void) {}
