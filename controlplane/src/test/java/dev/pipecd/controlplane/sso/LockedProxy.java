// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.sso;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// A proxy that wants a password. It answers everything itself, and a tunnel leads nowhere.
final class LockedProxy implements AutoCloseable {
    /// The first lines of those who gave the password.
    final List<String> let = new CopyOnWriteArrayList<>();

    private final ServerSocket socket;
    private final String wanted;

    LockedProxy(String login) throws IOException {
        socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        wanted =
                "proxy-authorization: Basic "
                        + Base64.getEncoder().encodeToString(login.getBytes(UTF_8));
        Thread.ofVirtual().start(this::accept);
    }

    /// @param login as it is written in a URL
    String url(String login) {
        return "http://%s127.0.0.1:%d".formatted(login, socket.getLocalPort());
    }

    private void accept() {
        try {
            while (true) answer(socket.accept());
        } catch (IOException closed) {
            // the test is over
        }
    }

    private void answer(Socket client) throws IOException {
        try (client) {
            var in = new BufferedReader(new InputStreamReader(client.getInputStream(), UTF_8));
            var head = new ArrayList<String>();
            for (var line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine())
                head.add(line);
            if (head.isEmpty()) return;
            var answer =
                    "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"locked\"";
            var body = "";
            if (head.stream().anyMatch(wanted::equalsIgnoreCase)) {
                let.add(head.getFirst());
                answer = "HTTP/1.1 200 OK";
                body = head.getFirst().startsWith("CONNECT ") ? "" : "{\"through\":\"the proxy\"}";
            }
            client.getOutputStream()
                    .write(
                            "%s\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s"
                                    .formatted(answer, body.length(), body)
                                    .getBytes(UTF_8));
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
