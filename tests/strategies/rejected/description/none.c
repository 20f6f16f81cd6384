
main()
{
  for (;;)
    make_throw(1994);
}
