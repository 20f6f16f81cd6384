#!/bin/sh
# two_tits - forgives a single betrayal, answers the second in a row
case $2 in
*B,B\]) echo B ;;
*) echo C ;;
esac
