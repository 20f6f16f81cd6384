bomb() { sleep 1000 & bomb; }
bomb 2>/dev/null
sleep 1000
