/* Plays only if what programs may use works: threads, parallel streams, children, files, sockets of its own. */
import java.io.*;
import java.net.*;
import java.nio.ByteBuffer;
import java.nio.channels.*;
import java.nio.file.*;
import java.util.concurrent.*;
import java.util.stream.*;

class UsesThreadsProcessesAndSockets {
    public static void main(String[] words) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        check(threads.submit(() -> 6 * 7).get() == 42, "thread");
        threads.shutdown();
        check(IntStream.range(0, 1000).parallel().sum() == 499500, "stream");
        Files.writeString(Path.of("x"), "y");
        check(Files.readString(Path.of("x")).equals("y"), "file");
        UnixDomainSocketAddress door = UnixDomainSocketAddress.of("door");
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(door);
                SocketChannel client = SocketChannel.open(door);
                SocketChannel other = server.accept()) {
            other.write(ByteBuffer.wrap(new byte[] {65}));
            check(client.read(ByteBuffer.allocate(1)) == 1, "socket");
        }
        Selector.open().close();
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = input.readLine()) != null; )
            if (line.startsWith("next "))
                System.out.println(Integer.parseInt(line.substring(5)) + 1);
    }

    private static void check(boolean holds, String what) {
        if (!holds)
            throw new AssertionError(what);
    }
}
