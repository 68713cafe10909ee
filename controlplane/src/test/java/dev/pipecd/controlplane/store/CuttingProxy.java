// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/// Stands between a client and a database server and cuts the connection at commits.
final class CuttingProxy implements AutoCloseable {
    private final ServerSocket listening;
    private final int server;
    private final Cut cut;
    private final AtomicInteger commits = new AtomicInteger();
    private final AtomicInteger cuts = new AtomicInteger();
    private volatile int every;

    CuttingProxy(int server, Cut cut) throws IOException {
        this.server = server;
        this.cut = cut;
        listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return listening.getLocalPort();
    }

    void cutEvery(int number) {
        every = number;
    }

    int cuts() {
        return cuts.get();
    }

    private void accept() {
        try {
            while (true) {
                var client = listening.accept();
                var behind = new Socket(InetAddress.getLoopbackAddress(), server);
                behind.setTcpNoDelay(true);
                client.setTcpNoDelay(true);
                var answers = Thread.ofVirtual().start(() -> copy(behind, client));
                Thread.ofVirtual().start(() -> watch(client, behind, answers));
            }
        } catch (IOException _) {
            // closed
        }
    }

    private static void copy(Socket from, Socket to) {
        try (from;
                to) {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException _) {
            // cut
        }
    }

    /// Each packet of the client as a whole: three bytes of length, one of sequence, the content.
    private void watch(Socket client, Socket behind, Thread answers) {
        try (client;
                behind) {
            var in = client.getInputStream();
            var out = behind.getOutputStream();
            while (true) {
                var head = in.readNBytes(4);
                if (head.length < 4) return;
                var length = (head[0] & 255) | (head[1] & 255) << 8 | (head[2] & 255) << 16;
                var content = in.readNBytes(length);
                // alone, or the last of several statements that are sent together
                var isCommit = new String(content, StandardCharsets.ISO_8859_1).endsWith("COMMIT");
                if (isCommit && every > 0 && commits.incrementAndGet() % every == 0) {
                    cuts.incrementAndGet();
                    client.close(); // before any answer can be copied
                    if (cut == Cut.BEFORE) return;
                    send(out, head, content);
                    answers.join(); // it ends when it cannot pass on the answer
                    return;
                }
                send(out, head, content);
            }
        } catch (IOException | InterruptedException _) {
            // cut
        }
    }

    private static void send(OutputStream out, byte[] head, byte[] content) throws IOException {
        var packet = Arrays.copyOf(head, head.length + content.length);
        System.arraycopy(content, 0, packet, head.length, content.length);
        out.write(packet); // as one: two small ones would wait for each other
        out.flush();
    }

    @Override
    public void close() throws IOException {
        listening.close();
    }

    /// Where the connection breaks.
    enum Cut {
        /// The server never hears of the commit.
        BEFORE,
        /// The server commits; its answer is lost.
        AFTER
    }
}
