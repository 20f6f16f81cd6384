import time

number = int(input().split()[1])
time.sleep(0.9)
print(number + 1)
