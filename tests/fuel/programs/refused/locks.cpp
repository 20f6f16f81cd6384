// programs whose time is counted have no threads
#include <mutex>
std::mutex mutex;
int main() { std::lock_guard<std::mutex> guard(mutex); }
