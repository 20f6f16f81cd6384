print(" \t")
