number = int(input().split()[1])
print("thinking about", number)
print(number + 1)
