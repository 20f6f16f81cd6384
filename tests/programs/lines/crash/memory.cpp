#include <string>
#include <vector>

int main()
{
    std::vector<std::string> hog;
    for (;;)
        hog.emplace_back(100000000, 'x');
}
