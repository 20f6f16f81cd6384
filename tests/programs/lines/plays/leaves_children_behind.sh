while read command number; do
    (setsid setsid sleep 86400 </dev/null >/dev/null 2>&1 &)
    [ "$command" = next ] && echo $((number + 1))
done
