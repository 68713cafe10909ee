// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.app.quickstart;

import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/// Which ports of this machine are to be had.
final class Ports {
    private Ports() {}

    static void demand(int port) {
        if (isFree(port)) return;
        throw new Problem(
                Problem.Code.SETTING_INVALID,
                "port %d: taken by another program, perhaps a quickstart that is still running (expected: free)"
                        .formatted(port),
                "See who has it with `ss -ltnp 'sport = :%d'`, or choose another: make run ARGS=\"--port %d\""
                        .formatted(port, port < 55_000 ? port + 10_000 : port - 10_000));
    }

    static int freeOr(int wished) {
        return wished <= 65_535 && isFree(wished) ? wished : free();
    }

    static int free() {
        try (var socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new Problem(
                    Problem.Code.SETTING_INVALID,
                    "free port: none (expected: one)",
                    "Close some programs.",
                    e);
        }
    }

    private static boolean isFree(int port) {
        // On every address: a program that listens on all of them would take the requests meant for
        // ours.
        try (var socket = new ServerSocket(port)) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }
}
