print $ARGV[0] + 1;
