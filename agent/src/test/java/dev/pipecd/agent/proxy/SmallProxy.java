// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.proxy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;

/// A proxy that wants a password. Every tunnel leads to one port of this machine, and what is asked
/// without a tunnel is answered here.
public final class SmallProxy implements AutoCloseable {
    public static final String ANSWER = "through the proxy";

    /// The first lines of those who logged in.
    public final List<String> let = new CopyOnWriteArrayList<>();

    private final ServerSocket socket;
    private final String wanted;
    private final int behind;

    public SmallProxy(String login, int behind) throws IOException {
        this.socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        this.wanted =
                "Basic "
                        + Base64.getEncoder()
                                .encodeToString(login.getBytes(StandardCharsets.UTF_8));
        this.behind = behind;
        Thread.ofVirtual().start(this::accept);
    }

    /// As it is written into a variable, with this login.
    public String url(String login) {
        return "http://%s@127.0.0.1:%d".formatted(login, socket.getLocalPort());
    }

    private void accept() {
        while (true) {
            try {
                var client = socket.accept();
                Thread.ofVirtual().start(() -> serve(client));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void serve(Socket client) {
        try (client) {
            var head = head(client.getInputStream()).split("\r\n");
            if (List.of(head).stream()
                    .noneMatch(line -> line.equalsIgnoreCase("Proxy-Authorization: " + wanted))) {
                say(
                        client,
                        "407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"small\"",
                        "");
                return;
            }
            let.add(head[0]);
            if (!head[0].startsWith("CONNECT ")) {
                readBody(head, client.getInputStream());
                say(client, "200 OK", ANSWER);
                return;
            }
            try (var server = new Socket(InetAddress.getLoopbackAddress(), behind)) {
                client.getOutputStream()
                        .write("HTTP/1.1 200 OK\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                var back = Thread.ofVirtual().start(() -> carry(server, client));
                carry(client, server);
                back.join();
            }
        } catch (IOException gone) {
            // The client says what it makes of that.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void carry(Socket from, Socket to) {
        // Whoever of the two leaves takes the other along.
        try (from;
                to) {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException gone) {
            // The client says what it makes of that.
        }
    }

    private static String head(InputStream in) throws IOException {
        var read = new ByteArrayOutputStream();
        while (!read.toString(StandardCharsets.US_ASCII).endsWith("\r\n\r\n")) {
            var next = in.read();
            if (next < 0) throw new IOException("half a request");
            read.write(next);
        }
        return read.toString(StandardCharsets.US_ASCII);
    }

    /// Left unread, it would break off the answer.
    private static void readBody(String[] head, InputStream in) throws IOException {
        for (var line : head)
            if (line.toLowerCase(Locale.ROOT).startsWith("content-length: "))
                in.readNBytes(Integer.parseInt(line.substring(16)));
    }

    private static void say(Socket client, String status, String body) throws IOException {
        client.getOutputStream()
                .write(
                        "HTTP/1.1 %s\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s"
                                .formatted(status, body.length(), body)
                                .getBytes(StandardCharsets.US_ASCII));
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
