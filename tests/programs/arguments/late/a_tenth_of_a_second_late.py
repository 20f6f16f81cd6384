import sys
import time

time.sleep(0.5)
print(int(sys.argv[1]) + 1)
