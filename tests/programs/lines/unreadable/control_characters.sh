while read line; do printf '\033[2J\000\007\n'; done
