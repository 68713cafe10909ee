// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.cache;

import dev.pipecd.controlplane.TestCertificate;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;

/// Puts TLS in front of a server that has none, as a hosted Redis does.
final class TlsRelay implements AutoCloseable {
    private final SSLServerSocket front;
    private final int behind;
    private final List<Socket> open = new CopyOnWriteArrayList<>();

    TlsRelay(TestCertificate certificate, int behind) throws Exception {
        var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(certificate.keys(), TestCertificate.PASSWORD);
        var tls = SSLContext.getInstance("TLS");
        tls.init(keys.getKeyManagers(), null, null);
        front =
                (SSLServerSocket)
                        tls.getServerSocketFactory()
                                .createServerSocket(0, 50, InetAddress.getLoopbackAddress());
        this.behind = behind;
        Thread.ofVirtual().name("tls relay").start(this::accept);
    }

    int port() {
        return front.getLocalPort();
    }

    private void accept() {
        while (true) {
            try {
                var caller = front.accept();
                var server = new Socket(InetAddress.getLoopbackAddress(), behind);
                open.addAll(List.of(caller, server));
                Thread.ofVirtual().start(() -> pass(caller, server));
                Thread.ofVirtual().start(() -> pass(server, caller));
            } catch (IOException e) {
                if (front.isClosed()) return;
            }
        }
    }

    private static void pass(Socket from, Socket to) {
        try (from;
                to) {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException e) {
            // One side is gone, and so is the other.
        }
    }

    @Override
    public void close() throws IOException {
        front.close();
        for (var socket : open) socket.close();
    }
}
