static int depth(volatile int *above)
{
    volatile int here[100];
    here[0] = *above + 1;
    return depth(here) + here[1];
}

int main(void)
{
    volatile int start = 0;
    return depth(&start);
}
