// programs in C++ whose time is counted have no exceptions (try, catch, throw)
#include <stdexcept>
int main() { try { throw std::runtime_error("x"); } catch (...) {} }
