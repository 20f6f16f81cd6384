/*
#if 0
This is a comment.
#endif
*/

main()
{
  for (;;)
    make_throw(1994);
}
