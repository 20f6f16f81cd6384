while read command number; do echo "$number"; done
