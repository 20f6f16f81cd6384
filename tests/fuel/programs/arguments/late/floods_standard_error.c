#include <stdio.h>

int main(void)
{
    for (;;)
        fputs("more and more and more and more and more and more and more\n", stderr);
}
