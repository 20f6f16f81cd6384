#include <stdio.h>

int main(void)
{
    int number;

    while (scanf("next %d\n", &number) == 1)
        printf("%d\n", number + 1);
}
