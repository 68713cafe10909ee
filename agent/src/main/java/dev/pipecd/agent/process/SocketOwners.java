// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/// Whose sockets are whose: a port alone does not tell who stands behind it, the system does.
public final class SocketOwners {
    private static final Path PROC = Path.of("/proc");
    private static final String LISTENS = "0A";

    private SocketOwners() {}

    /// Whether a process of that session listens on the port.
    public static boolean listens(long session, int port) {
        return holds(session, socket -> socket.listens() && socket.localPort == port);
    }

    /// Whether a process of that session holds the connection from one port of this machine to
    /// another.
    public static boolean connected(long session, int from, int to) {
        return holds(session, socket -> socket.localPort == from && socket.remotePort == to);
    }

    private static boolean holds(long session, Predicate<Socket> wanted) {
        try {
            var inodes = new HashSet<String>();
            for (var table : List.of("net/tcp", "net/tcp6"))
                for (var socket : sockets(PROC.resolve(table)))
                    if (wanted.test(socket)) inodes.add("socket:[" + socket.inode + "]");
            if (inodes.isEmpty()) return false;
            // Nearly always it is the leader itself.
            return holdsOne(session, inodes)
                    || members(session).stream().anyMatch(pid -> holdsOne(pid, inodes));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Socket> sockets(Path table) throws IOException {
        if (!Files.exists(table)) return List.of();
        var sockets = new ArrayList<Socket>();
        for (var line : Files.readAllLines(table)) {
            var fields = line.strip().split("\\s+", -1);
            if (fields.length > 9 && !fields[0].equals("sl"))
                sockets.add(new Socket(port(fields[1]), port(fields[2]), fields[3], fields[9]));
        }
        return sockets;
    }

    private static int port(String address) {
        return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1), 16);
    }

    private static List<Long> members(long session) throws IOException {
        var members = new ArrayList<Long>();
        try (var entries = Files.newDirectoryStream(PROC, "[0-9]*")) {
            for (var entry : entries) {
                var pid = Long.parseLong(entry.getFileName().toString());
                if (pid != session && sessionOf(entry) == session) members.add(pid);
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return members;
    }

    private static long sessionOf(Path process) {
        try {
            var stat = Files.readString(process.resolve("stat"));
            return Long.parseLong(stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1)[3]);
        } catch (IOException e) {
            return -1; // It ended while we looked.
        }
    }

    private static boolean holdsOne(long pid, Set<String> inodes) {
        try (var files = Files.newDirectoryStream(PROC.resolve(pid + "/fd"))) {
            for (var file : files) if (inodes.contains(target(file))) return true;
        } catch (IOException | DirectoryIteratorException e) {
            return false; // It ended, or is not ours to look at: then it is not ours to trust.
        }
        return false;
    }

    private static String target(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException e) {
            return ""; // Closed while we looked.
        }
    }

    private record Socket(int localPort, int remotePort, String state, String inode) {
        boolean listens() {
            return state.equals(LISTENS);
        }
    }
}
