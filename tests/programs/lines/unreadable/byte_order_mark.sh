while read command number; do printf '\357\273\277%d\n' $((number + 1)); done
