int main()
{
    volatile int i = 0;
    for (;;)
        i = i + 1;
}
