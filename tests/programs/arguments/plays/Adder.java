class Adder {
    public static void main(String[] words) {
        System.out.println(Integer.parseInt(words[0]) + 1);
    }
}
