$| = 1;
while (<STDIN>) {
    print $1 + 1, "\n" if /^next (\d+)/;
}
