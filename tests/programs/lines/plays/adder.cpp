#include <iostream>
#include <sstream>
#include <string>

int main()
{
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream words(line);
        std::string command;
        int number;
        if (words >> command >> number)
            std::cout << number + 1 << std::endl;
    }
}
