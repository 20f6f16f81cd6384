trap '' TERM INT HUP PIPE
while :; do sleep 1; done
