int main(int count, char **words)
{
    volatile int zero = 0;
    return count / zero;
}
