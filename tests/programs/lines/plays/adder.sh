while read command number; do
    [ "$command" = next ] && echo $((number + 1))
done
