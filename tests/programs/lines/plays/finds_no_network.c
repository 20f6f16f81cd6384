/* Plays only if no address can be reached, neither outside nor on this computer. */
#include <arpa/inet.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

static int reaches(const char *host, int port)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(port) };
    int handle = socket(AF_INET, SOCK_STREAM, 0);

    inet_pton(AF_INET, host, &address.sin_addr);
    return handle >= 0 && connect(handle, (struct sockaddr *)&address, sizeof address) == 0;
}

int main(void)
{
    char line[100];
    int number;

    for (int port = 1; port < 10000; port++)
        if (reaches("127.0.0.1", port))
            return 3;
    if (reaches("1.1.1.1", 53))
        return 4;
    while (fgets(line, sizeof line, stdin))
        if (sscanf(line, "next %d", &number) == 1) {
            printf("%d\n", number + 1);
            fflush(stdout);
        }
}
