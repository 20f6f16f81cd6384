// compiler used more
template<int depth, int which> struct Tree {
    static const int value = Tree<depth - 1, 2 * which>::value + Tree<depth - 1, 2 * which + 1>::value;
};
template<int which> struct Tree<0, which> { static const int value = which; };
int main() { return Tree<26, 1>::value; }
