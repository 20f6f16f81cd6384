#!/usr/bin/perl
# grudger - cooperates until the other has betrayed once, and never again after that
use strict;
use warnings;

my ($own, $other) = @ARGV;
print $other =~ /B/ ? "B\n" : "C\n";
