// the data of your program need 100 MB of memory, and it may have 16 MB
char large[100000000] = { 1 };
int main(int count, char **words) { large[count] = 1; return large[7 * count]; }
