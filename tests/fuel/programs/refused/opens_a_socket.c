// programs whose time is counted have no network
#include <sys/socket.h>
int main(void) { return socket(AF_INET, SOCK_STREAM, 0); }
