while read command number; do
    head -c 3000000 /dev/zero | tr '\0' e >&2
    [ "$command" = next ] && echo $((number + 1))
done
