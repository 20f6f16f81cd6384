#!/usr/bin/perl
# coin_flip - has no plan at all
use strict;
use warnings;

print rand() < 0.5 ? "C\n" : "B\n";
