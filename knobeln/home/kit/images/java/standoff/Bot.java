/** Shoots while it has ammunition, then reloads. Arguments: 20/1/P 20/0/N 16/2/R, its own state first. */
class Bot {
    public static void main(String[] words) {
        int ammunition = Integer.parseInt(words[0].split("/")[1]);
        System.out.println(ammunition > 0 ? 'S' : 'R');
    }
}
