#!/usr/bin/env perl
# Write the games of compact protocols out in full, throw by throw.
#
#     ./knobeln example leapfrog | ./protocolfmt.pl
#     ./protocolfmt.pl round1-group1-our_team.protocol.gz --against jailer
#
# The same as protocolfmt, to the byte, for those who have Perl (5.10 or later) and no Python.

use strict;
use warnings;
use Encode qw(decode encode);

my $TITLE = "KNOBELN protocol 1";
my $WIDTH = 72;
my %VERDICTS = (
    OK => "played to the end",
    TIME => "time limit",
    MEMORY => "out of memory",
    CRASH => "crash",
    ILLEGAL_MOVE => "illegal throw",
    PROTOCOL => "left the game",
    ASIDE => "set aside after failures of our engine",
    INTERNAL => "a failure of our own machinery",
);
my $NUMBER = qr/([0-9]{1,10})/;
my $VERDICT = "(" . join("|", sort keys %VERDICTS) . ")";
my $THROWS = qr/^-?[0-9]{1,10}(?:,-?[0-9]{1,10})*$/;
my @HEAD = (
    qr/^game round=$NUMBER group=$NUMBER attempt=$NUMBER$/,
    qr/^players (\S+) (\S+)$/,
    qr/^rules a=$NUMBER b=$NUMBER k=$NUMBER L=$NUMBER$/,
    qr/^points $NUMBER $NUMBER$/,
    qr/^verdicts $VERDICT $VERDICT$/,
    qr/^counted (yes|no)$/,
    qr/^digest ([0-9a-f]+)$/,
    qr/^throws $NUMBER( not kept)?$/,
);

# --- reading --------------------------------------------------------------------------------------

# All games. A title may come before each; several protocols may follow one another.
sub games_of {
    my ($text) = @_;
    my @lines = split /\r\n|[\n\r\x0b\x0c\x1c-\x1e\x{85}\x{2028}\x{2029}]/, $text;
    s/^\s+//, s/\s+$// for @lines;
    die "line 1: there must be `$TITLE`\n" unless @lines && $lines[0] eq $TITLE;
    my ($at, @games) = (1);
    while ($at < @lines) {
        if ($lines[$at] eq $TITLE) { $at++; next; }
        my ($game, $next) = game_at(\@lines, $at);
        die "line " . ($at + 1) . ": here is no whole and sound game\n" unless $game;
        push @games, $game;
        $at = $next;
    }
    return @games;
}

# The game that begins in this line, and the line after it; nothing unless it is whole, with as many
# throws as it says.
sub game_at {
    my ($lines, $at) = @_;
    my @parts;
    for my $form (@HEAD) {
        return if $at >= @$lines;
        my @found = $lines->[$at++] =~ $form or return;
        push @parts, \@found;
    }
    my @sides = ([], []);
    while ($at + 1 < @$lines && $lines->[$at] =~ $THROWS && $lines->[$at + 1] =~ $THROWS) {
        push @{ $sides[$_] }, split /,/, $lines->[$at++] for 0, 1;
    }
    return unless $at < @$lines && $lines->[$at] eq "end";
    my ($played, $missing) = @{ $parts[7] };
    my $wanted = $missing ? 0 : $played;
    return unless @{ $sides[0] } == $wanted && @{ $sides[1] } == $wanted;
    my %game = (
        where => $parts[0],
        players => $parts[1],
        rules => $parts[2],
        points => $parts[3],
        verdicts => $parts[4],
        counted => $parts[5][0] eq "yes",
        played => $played + 0,
        throws => \@sides,
        kept => !$missing,
    );
    return (\%game, $at + 1);
}

# --- writing --------------------------------------------------------------------------------------

# The game for reading, in lines of at most 72 columns.
sub in_full {
    my ($game) = @_;
    return join("", map { "$_\n" } heading($game), table(@{ $game->{throws} }), ending($game));
}

sub heading {
    my ($game) = @_;
    my @lines;
    my @where = @{ $game->{where} };
    push @lines, sprintf("Round %s, group %s, attempt %s", @where) if $where[0] ne "0";
    push @lines, sprintf("a = %s, b = %s, k = %s, L = %s", @{ $game->{rules} }), "";
    my $names = sprintf("         %-30s   %s", @{ $game->{players} });
    $names =~ s/\s+$//;
    return (@lines, $names, "  throw       number points      total         number points      total");
}

# Each throw with its points and the totals so far.
sub table {
    my @throws = @_;
    my (@lines, @before);
    my @totals = (0, 0);
    for my $number (0 .. $#{ $throws[0] }) {
        my @pair = map { $throws[$_][$number] + 0 } 0, 1;
        my @won = points_of(@pair);
        my @sides;
        for my $side (0, 1) {
            $totals[$side] += $won[$side];
            my $mark = !@before || $pair[$side] < $before[$side] ? ">" : " ";
            push @sides, sprintf("%s%11s %6s %10s", $mark, $pair[$side], $won[$side], $totals[$side]);
        }
        push @lines, sprintf("%7d ", $number + 1) . join("   ", @sides);
        @before = @pair;
    }
    return @lines;
}

# The higher wins, unless it is more than twice the lower; it wins the logarithm of its own number.
sub points_of {
    my ($first, $second) = @_;
    return (0, 0) if $first == $second;
    my $first_wins = $first > $second ? $first <= 2 * $second : $second > 2 * $first;
    return $first_wins ? (bits($first) - 1, 0) : (0, bits($second) - 1);
}

# How many binary digits the number has.
sub bits {
    my ($number) = @_;
    my $count = 0;
    for (my $rest = abs $number; $rest >= 1; $rest = int($rest / 2)) { $count++; }
    return $count;
}

sub ending {
    my ($game) = @_;
    my @lines = ("");
    if (!$game->{kept}) {
        my $played = "$game->{played} throw" . ($game->{played} == 1 ? " was" : "s were");
        push @lines, "In this game $played played, but not kept.";
    }
    my @verdicts = @{ $game->{verdicts} };
    my $stopped = grep { $_ ne "OK" } @verdicts;
    for my $side (0, 1) {
        my $points = $game->{points}[$side] + 0;
        my $won = "$points point" . ($points == 1 ? "" : "s");
        my $is_kept = $verdicts[$side] eq "OK" && $stopped;
        my $end = $is_kept ? "kept to the rules until then" : $VERDICTS{ $verdicts[$side] };
        push @lines, folded("$game->{players}[$side]: $won, $end");
    }
    if ($stopped) { push @lines, "The game was stopped; its points are discarded."; }
    elsif (!$game->{counted}) { push @lines, "The game does not count."; }
    return @lines;
}

# Wrap a long line; its rest is indented by two columns more.
sub folded {
    my ($line) = @_;
    my ($indent, @lines) = ("");
    while (length($indent) + length($line) > $WIDTH) {
        my $begin = substr($indent . $line, 0, $WIDTH + 1);
        my $blank = rindex($begin, " ");
        my $is_good = $blank >= 2 && substr($begin, 0, $blank) =~ /\S/;
        my $cut = $is_good ? $blank : $WIDTH;
        my $part = substr($begin, 0, $cut);
        $part =~ s/\s+$//;
        push @lines, $part;
        $line = substr($line, $cut - length $indent);
        $line =~ s/^ +//;
        $indent = "  ";
    }
    return (@lines, $indent . $line);
}

# --- the command ----------------------------------------------------------------------------------
sub fail {
    print STDERR "protocolfmt: $_[0]\n";
    exit 1;
}

sub gunzip_error {
    no warnings "once";
    return $IO::Uncompress::Gunzip::GunzipError;
}

# The games in the file; `-` is standard input.
sub games_in {
    my ($name) = @_;
    my $file = \*STDIN;
    if ($name ne "-") {
        open($file, "<", $name) or fail("$name: [Errno " . ($! + 0) . "] $!: '$name'");
    }
    binmode $file;
    my $raw = do { local $/; <$file> };
    $raw = "" unless defined $raw;
    if ($raw =~ /^\x1f\x8b/) {
        require IO::Uncompress::Gunzip;
        my $text = "";
        IO::Uncompress::Gunzip::gunzip(\$raw => \$text, MultiStream => 1)
            or fail("$name: ${\ gunzip_error()}");
        $raw = $text;
    }
    my @games = eval { games_of(decode("UTF-8", $raw, Encode::FB_CROAK)) };
    if ($@) {
        chomp(my $why = $@);
        fail("$name: $why");
    }
    return @games;
}

my (@files, $against);
while (@ARGV) {
    my $word = shift @ARGV;
    if ($word eq "-h" || $word eq "--help") {
        print "usage: protocolfmt [-h] [--against NAME] [FILE ...]\n\n"
            . "Write compact protocols out in full.\n";
        exit 0;
    }
    if ($word eq "--against" && @ARGV) { $against = shift @ARGV; }
    elsif ($word =~ /^--against=(.*)$/s) { $against = $1; }
    elsif ($word =~ /^-./) {
        print STDERR "usage: protocolfmt [-h] [--against NAME] [FILE ...]\n";
        exit 2;
    }
    else { push @files, $word; }
}
@files = ("-") unless @files;
my @shown;
for my $name (@files) {
    for my $game (games_in($name)) {
        next if defined $against && !grep { $_ eq $against } @{ $game->{players} };
        push @shown, in_full($game);
    }
}
fail($against ? "there is no such game" : "there is no game") unless @shown;
binmode STDOUT;
print encode("UTF-8", join("\n", @shown));
