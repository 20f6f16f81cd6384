// programs whose time is counted cannot start other processes
#include <unistd.h>
int main(void) { return fork(); }
