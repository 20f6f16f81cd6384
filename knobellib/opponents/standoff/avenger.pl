#!/usr/bin/perl
# avenger - harms nobody, but shoots when a neighbour shot in the last round
use strict;
use warnings;

my ($own, @neighbours) = @ARGV;
my $ammo = (split m{/}, $own)[1];
if    ($ammo == 0)               { print "R\n" }
elsif (grep { m{/S$} } @neighbours) { print "S\n" }
elsif ($ammo < 2)                { print "R\n" }
else                             { print "P\n" }
