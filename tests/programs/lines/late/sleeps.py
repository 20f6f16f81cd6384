import time

time.sleep(86400)
