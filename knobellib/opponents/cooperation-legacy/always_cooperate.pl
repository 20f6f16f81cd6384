#!/usr/bin/perl
# always_cooperate - trusts everybody, whatever they did
print "C\n";
