#include <time.h>

int main(void)
{
    for (;;)
        time(NULL);
}
