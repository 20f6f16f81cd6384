// compiler used more
template<unsigned depth, unsigned which> struct Tree {
    static const unsigned value = Tree<depth - 1, 2 * which>::value + Tree<depth - 1, 2 * which + 1>::value;
};
template<unsigned which> struct Tree<0, which> { static const unsigned value = which; };
int main() { return Tree<26, 1>::value; }
