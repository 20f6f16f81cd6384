#if 1
int prose;
#endif

main()
{
  for (;;)
    make_throw(1994);
}
