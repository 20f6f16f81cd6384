head -c 3000000 /dev/zero >&2
echo $(($1 + 1))
