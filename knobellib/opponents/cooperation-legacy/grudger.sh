#!/bin/sh
# grudger - cooperates until the other has betrayed once; in the first round $2 is empty
case $2 in
*B*) echo B ;;
*) echo C ;;
esac
