int main(int count, char **words)
{
    return ((int (*)(int, int, double)) (long) (12345 + count))(1, 2, 3);
}
