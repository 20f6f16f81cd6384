print "1" x 100000;
