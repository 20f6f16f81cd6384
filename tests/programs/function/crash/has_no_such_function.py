def getMove(number):
    return number + 1
