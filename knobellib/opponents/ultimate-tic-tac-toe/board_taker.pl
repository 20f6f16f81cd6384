#!/usr/bin/perl
# board_taker - takes what it can get now
#
# Looks at single moves only, the best first: one that wins the game, one that takes a board, one that
# keeps the opponent from taking this board, the centre, a corner. Where moves are equally good, chance
# decides. It never asks where a move sends the opponent.
use strict;
use warnings;

my @ROWS = ([ 0, 1, 2 ], [ 3, 4, 5 ], [ 6, 7, 8 ]);
my @LINES = (@ROWS, [ 0, 3, 6 ], [ 1, 4, 7 ], [ 2, 5, 8 ], [ 0, 4, 8 ], [ 2, 4, 6 ]);

sub has_line {
    my ($mark, @marks) = @_;
    for my $line (@LINES) {
        return 1 unless grep { $marks[$_] != $mark } @$line;
    }
    return 0;
}

sub winner_of {
    my @marks = @_;
    return has_line(1, @marks) ? 1 : has_line(2, @marks) ? 2 : 0;
}

my ($time, $state) = @ARGV;
my ($me, $forced, @squares) = split //, $state;
my $they = 3 - $me;
my @winner = map { winner_of(@squares[ 9 * $_ .. 9 * $_ + 8 ]) } 0 .. 8;

sub worth {
    my ($square) = @_;
    my ($board, $place) = (int($square / 9), $square % 9);
    my @marks = @squares[ 9 * $board .. 9 * $board + 8 ];
    $marks[$place] = $me;
    if (has_line($me, @marks)) {
        my @boards = @winner;
        $boards[$board] = $me;
        return has_line($me, @boards) ? 1000 : 100;
    }
    $marks[$place] = $they;
    return 50 if has_line($they, @marks);
    return $place == 4 ? 3 : $place % 2 ? 1 : 2;
}

my @open = grep {
    my $board = int($_ / 9);
    $squares[$_] == 0 && $winner[$board] == 0 && ($forced == 9 || $forced == $board)
} 0 .. 80;
my %worth = map { $_ => worth($_) + rand(0.5) } @open;
my ($best) = sort { $worth{$b} <=> $worth{$a} } @open;
print "$best\n";
