// programs whose time is counted cannot start other processes
#include <stdlib.h>
int main(void) { return system("sh"); }
