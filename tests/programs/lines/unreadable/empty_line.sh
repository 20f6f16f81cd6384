while read line; do echo; done
