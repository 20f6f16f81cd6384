// '/etc/passwd' file not found
#include "/etc/passwd"
int main(void) {}
