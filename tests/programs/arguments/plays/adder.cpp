#include <iostream>
#include <string>

int main(int, char **words)
{
    std::cout << std::stoi(words[1]) + 1;
}
