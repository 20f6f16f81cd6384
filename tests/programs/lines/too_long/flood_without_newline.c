#include <stdio.h>

int main(void)
{
    for (;;)
        putchar('1');
}
