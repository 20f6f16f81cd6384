#!/usr/bin/perl
# copycat - what you bid, and a dollar more
#
# Bids on each free square one dollar more than the opponent did in the round before; in the first round of a
# game, one more than in the first round of the last game against the same opponent. Whoever never changes its
# opening loses every game but the first. What the squares of its choice cost too much, it goes without: the
# dearest squares are served first.
use strict;
use warnings;

$| = 1;

my %opening;    # the first bids of each opponent, in the last game against it
my ($opponent, $round, $bankroll, @free, @mine);

sub answer {
    my @model = @_;
    my $left = $bankroll;
    @mine = (0) x 9;
    for my $square (sort { $model[$b] <=> $model[$a] || $a <=> $b } grep { $free[$_] } 0 .. 8) {
        my $bid = $model[$square] + 1;
        next if $bid > $left;
        $mine[$square] = $bid;
        $left -= $bid;
    }
    print "@mine\n";
}

while (<STDIN>) {
    my ($command, @words) = split;
    if ($command eq "newgame") {
        ($opponent, $round, $bankroll) = ($words[0], 0, 100);
        @free = (1) x 9;
        answer(@{ $opening{$opponent} // [ 20, 0, 20, 0, 30, 0, 20, 0, 0 ] });
        next;
    }
    $opening{$opponent} = [@words] unless $round++;
    for my $square (grep { $free[$_] } 0 .. 8) {
        $bankroll -= $mine[$square] if $mine[$square] > $words[$square];
        $free[$square] = 0 if $mine[$square] != $words[$square];
    }
    answer(@words) if $command eq "nextround";
}
