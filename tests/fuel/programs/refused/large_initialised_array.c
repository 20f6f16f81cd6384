// larger than 16 MB when compiled
char large[100000000] = { 1 };
int main(int count, char **words) { large[count] = 1; return large[7 * count]; }
