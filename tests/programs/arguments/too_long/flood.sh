exec yes 1
