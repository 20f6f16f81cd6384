#if 0


#endif

main()
{
  for (;;)
    make_throw(1994);
}
