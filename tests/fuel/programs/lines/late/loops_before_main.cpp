struct Loop {
    Loop()
    {
        for (volatile int i = 0;; i = i + 1)
            ;
    }
} loop;

int main()
{
}
