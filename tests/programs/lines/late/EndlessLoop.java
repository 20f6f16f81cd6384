public class EndlessLoop {
    public static void main(String[] arguments) {
        for (;;)
            ;
    }
}
