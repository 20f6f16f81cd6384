import sys
import time

end = time.process_time() + 0.6
while time.process_time() < end:
    pass
print(int(sys.argv[1]) + 1)
