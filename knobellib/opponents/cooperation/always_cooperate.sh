#!/bin/sh
# always_cooperate - trusts everybody, whatever they did
echo C
