"""tit_for_tat - begins friendly, and from then on does what the other did last"""

import sys

if len(sys.argv) == 1:  # the first round: there is no argument at all
    print("C")
else:
    print(sys.argv[2].split("/")[-1])
