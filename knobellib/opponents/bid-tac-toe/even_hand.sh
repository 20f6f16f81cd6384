#!/bin/sh
# even_hand - the same for every square
#
# Divides its bankroll evenly among the free squares, in every round. Nobody gets more than a square or two
# from it cheaply, but whoever concentrates on a line takes it.

answer() {
  number=0
  for is_free in $free; do number=$((number + is_free)); done
  share=$((bankroll / number))
  mine=
  for is_free in $free; do mine="$mine $((is_free * share))"; done
  echo $mine
}

# what the opponent's bids, $@, did to our bankroll and the free squares
settle() {
  left=
  set -- $mine "$@"
  for is_free in $free; do
    if [ "$1" -gt "${10}" ]; then bankroll=$((bankroll - $1)); fi
    if [ "$1" -eq "${10}" ]; then left="$left $is_free"; else left="$left 0"; fi
    shift
  done
  free=$left
}

while read -r command words; do
  case $command in
    newgame)
      free="1 1 1 1 1 1 1 1 1"
      bankroll=100
      answer ;;
    nextround)
      settle $words
      answer ;;
  esac
done
