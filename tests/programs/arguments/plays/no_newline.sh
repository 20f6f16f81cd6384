printf %d $(($1 + 1))
