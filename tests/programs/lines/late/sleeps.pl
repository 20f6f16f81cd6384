sleep 86400;
