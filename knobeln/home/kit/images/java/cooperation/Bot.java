/** Does what the other did in the last round. Arguments: [C,B] [C,C], its own decisions and the other's. */
class Bot {
    public static void main(String[] words) {
        String other = words[1];
        System.out.println(other.equals("[]") ? 'C' : other.charAt(other.length() - 2));
    }
}
