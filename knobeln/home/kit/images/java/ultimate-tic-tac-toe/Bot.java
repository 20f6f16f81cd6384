/** Plays in the first open square. Arguments: T and the game's state. */
class Bot {
    static final int[][] LINES = {
        {0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {0, 3, 6}, {1, 4, 7}, {2, 5, 8}, {0, 4, 8}, {2, 4, 6}
    };

    static boolean isWon(String marks) {
        for (int[] line : LINES) {
            char mark = marks.charAt(line[0]);
            if (mark != '0' && mark == marks.charAt(line[1]) && mark == marks.charAt(line[2])) {
                return true;
            }
        }
        return false;
    }

    public static void main(String[] words) {
        char forced = words[1].charAt(1);
        String squares = words[1].substring(2);
        for (int square = 0; square < 81; square++) {
            int board = square / 9;
            boolean isAllowed = forced == '9' || forced == '0' + board;
            if (isAllowed && squares.charAt(square) == '0' && !isWon(squares.substring(9 * board, 9 * board + 9))) {
                System.out.println(square);
                return;
            }
        }
    }
}
