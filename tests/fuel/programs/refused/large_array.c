// the data of your program need 253 MB of memory, and it may have 16 MB
static char large[261000000];
int main(int count, char **words) { large[count] = 1; return large[7 * count]; }
