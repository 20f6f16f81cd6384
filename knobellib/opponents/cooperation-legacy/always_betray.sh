#!/bin/sh
# always_betray - trusts nobody
echo B
