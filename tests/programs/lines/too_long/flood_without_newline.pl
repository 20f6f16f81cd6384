$| = 1;
print "1" x 65536 while 1;
