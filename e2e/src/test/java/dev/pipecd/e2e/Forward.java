// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/// A port under an address of its own that leads to another port of this machine, so that a server
/// is found where a command line expects it.
final class Forward implements AutoCloseable {
    private final ServerSocket here;
    private final int there;

    /// All of 127.0.0.0/8 is this machine.
    Forward(String address, int port, int there) {
        try {
            this.here = new ServerSocket(port, 50, InetAddress.getByName(address));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        this.there = there;
        Thread.ofVirtual().start(this::accept);
    }

    private void accept() {
        while (!here.isClosed()) {
            try {
                var caller = here.accept();
                var called = new Socket(InetAddress.getLoopbackAddress(), there);
                Thread.ofVirtual().start(() -> carry(caller, called));
                Thread.ofVirtual().start(() -> carry(called, caller));
            } catch (IOException e) {
                if (!here.isClosed()) throw new UncheckedIOException(e);
            }
        }
    }

    private static void carry(Socket from, Socket to) {
        try (from;
                to) {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException e) {
            // one of the two has left, and the other is told by the closing
        }
    }

    @Override
    public void close() throws IOException {
        here.close();
    }
}
