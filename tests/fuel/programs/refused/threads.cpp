// programs whose time is counted have no threads
#include <thread>
int main() { std::thread([] {}).join(); }
