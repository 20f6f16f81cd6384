import java.util.ArrayList;
import java.util.List;

public class Memory {
    public static void main(String[] arguments) {
        List<byte[]> hog = new ArrayList<>();
        while (true)
            hog.add(new byte[10_000_000]);
    }
}
