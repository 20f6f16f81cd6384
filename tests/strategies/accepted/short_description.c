#if 0
Only two lines,
but it is a description.
#endif

main()
{
  for (;;)
    make_throw(1994);
}
