echo $(($1 + 1))
sleep 1000 &
