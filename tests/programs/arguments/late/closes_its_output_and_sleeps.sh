echo $(($1 + 1))
exec sleep 1000 >&- 2>&-
