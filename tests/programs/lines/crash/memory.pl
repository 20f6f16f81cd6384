my @hog;
push @hog, "x" x 100_000_000 while 1;
