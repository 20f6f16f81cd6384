print "one more";
