while read command number; do
    [ "$command" = next ] && printf '  %d \t\r\n' $((number + 1))
done
