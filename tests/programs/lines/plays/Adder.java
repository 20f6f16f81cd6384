import java.util.Scanner;

public class Adder {
    static class Counter {
        int next(int number) {
            return number + 1;
        }
    }

    public static void main(String[] arguments) {
        Scanner input = new Scanner(System.in);
        while (input.hasNextLine()) {
            String[] words = input.nextLine().split(" ");
            if (words[0].equals("next"))
                System.out.println(new Counter().next(Integer.parseInt(words[1])));
        }
    }
}
