// programs whose time is counted have no threads, no other processes, no network, and no setjmp
#include <thread>
int main() { std::thread([] {}).join(); }
