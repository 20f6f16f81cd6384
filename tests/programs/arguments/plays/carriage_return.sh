printf '%d\r\n' $(($1 + 1))
