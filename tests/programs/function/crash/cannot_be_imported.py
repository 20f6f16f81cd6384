import a_library_that_is_not_there


def get_move(number):
    return number + 1
