while read command number; do printf '%d\n%d\n' $((number + 1)) $((number + 1)); done
