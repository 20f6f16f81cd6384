#!/usr/bin/perl
# dice - draws lots among all that the rules allow it
use strict;
use warnings;

my ($health, $ammo, $last) = split m{/}, $ARGV[0];
my @allowed = ('P', 'N');
push @allowed, 'S' if $ammo > 0;
push @allowed, 'R' if $ammo < 2;
print $allowed[rand @allowed], "\n";
