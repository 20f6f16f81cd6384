import sys
import time

time.sleep(0.9)
print(int(sys.argv[1]) + 1)
