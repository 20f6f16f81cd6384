# Plays only if it sees neither an opponent's files nor the referee's, nor what others are doing.
use strict;
$| = 1;
my @there = grep { !m{/finds_no_files_of_others\.pl$} } glob("/work/* /work/.* /home/* /root/* /tmp/* /var/* /etc/*");
@there = grep { !m{/\.\.?$} && !m{^/etc/(java|alternatives|ld)} } @there;
die "files of others: @there" if @there;
die "processes are shown" if -e "/proc/self";
while (<STDIN>) {
    print $1 + 1, "\n" if /^next (\d+)/;
}
