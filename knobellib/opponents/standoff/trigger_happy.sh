#!/bin/sh
# trigger_happy - shoots as long as there is ammunition, reloads when there is none
case $1 in
*/0/*) echo R ;;
*) echo S ;;
esac
