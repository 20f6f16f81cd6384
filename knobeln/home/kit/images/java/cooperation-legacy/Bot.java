/** Does what the other did in the last round. Arguments: C/B C/C, its own decisions and the other's; at first none. */
class Bot {
    public static void main(String[] words) {
        System.out.println(words.length == 0 ? 'C' : words[1].charAt(words[1].length() - 1));
    }
}
