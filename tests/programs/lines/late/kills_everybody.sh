read line
kill -9 -1
sleep 1000
