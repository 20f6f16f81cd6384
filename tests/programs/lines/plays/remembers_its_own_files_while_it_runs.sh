while read command number; do
    echo "$number" >> /work/diary || exit 1
    [ "$command" = next ] && echo $(($(tail -n 1 /work/diary) + 1))
done
