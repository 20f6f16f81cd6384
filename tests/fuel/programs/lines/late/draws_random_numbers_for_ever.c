#include <unistd.h>

int main(void)
{
    static char much[256];
    for (;;)
        getentropy(much, sizeof much);
}
