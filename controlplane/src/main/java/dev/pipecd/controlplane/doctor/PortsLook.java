// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.doctor;

import static java.util.stream.Collectors.joining;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;

/// Whether the ports can be opened, or are open already because a control plane runs here.
///
/// @param host the interface to listen on; empty for all
/// @param admin the one that tells what runs here
/// @param limit how long it is waited for
public record PortsLook(String host, List<Port> ports, int admin, Duration limit)
        implements Check.Look {
    private static final int HIGHEST = 65_535;

    public PortsLook {
        ports = List.copyOf(ports);
    }

    @Override
    public Finding now() throws InterruptedException {
        var wanted = ports.stream().filter(p -> p.number() > 0).toList();
        var impossible = wanted.stream().filter(p -> p.number() > HIGHEST).toList();
        if (!impossible.isEmpty())
            return Finding.failed(
                    written(impossible) + " (expected: 0 to %d)".formatted(HIGHEST),
                    "Give another port; below 0 it stays closed.");
        var doubled =
                wanted.stream().filter(p -> p.asked() && asked(wanted, p.number()) > 1).toList();
        if (!doubled.isEmpty())
            return Finding.failed(
                    written(doubled) + " (expected: each number once)",
                    "Give one of them another port with its flag; below 0 it stays closed.");
        var taken =
                wanted.stream()
                        .filter(p -> !opens(p) || (!p.asked() && asked(wanted, p.number()) > 0))
                        .toList();
        if (taken.isEmpty()) return Finding.ok(named(wanted) + " can be opened");
        var version = running();
        if (!version.isEmpty())
            return Finding.ok(
                    "%s: in use by the control plane that runs here (%s)"
                            .formatted(named(taken), version));
        if (taken.stream().noneMatch(Port::asked))
            return Finding.warning(
                    written(taken) + " is taken; the other ports serve alone",
                    "Where a proxy stands there, give -1 to say so; else another port with the flag.");
        return Finding.failed(
                written(taken.stream().filter(Port::asked).toList())
                        + " (expected: free, and one this user may open)",
                "Stop the process that listens there (ss -ltnp shows it), or give another port with"
                        + " the flag or in the configuration; below 0 a port stays closed.");
    }

    /// How many ports with that number a server fails without.
    private static long asked(List<Port> wanted, int number) {
        return wanted.stream().filter(p -> p.asked() && p.number() == number).count();
    }

    private static String written(List<Port> ports) {
        return ports.stream()
                .map(p -> "%s: %d".formatted(p.flag(), p.number()))
                .collect(joining(", "));
    }

    private static String named(List<Port> ports) {
        return ports.stream().map(p -> String.valueOf(p.number())).collect(joining(", "));
    }

    private boolean opens(Port port) {
        try (var socket = new ServerSocket()) {
            socket.setReuseAddress(true); // as servers do: connections just closed do not count
            socket.bind(
                    host.isEmpty()
                            ? new InetSocketAddress(port.number())
                            : new InetSocketAddress(host, port.number()));
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /// The version of the control plane that answers on the admin port; empty when none does.
    private String running() throws InterruptedException {
        if (admin <= 0) return "";
        var at = host.isEmpty() ? "127.0.0.1" : host;
        var request =
                HttpRequest.newBuilder(URI.create("http://%s:%d/version".formatted(at, admin)))
                        .timeout(limit)
                        .build();
        try (var http = HttpClient.newBuilder().connectTimeout(limit).build()) {
            var answer = http.send(request, HttpResponse.BodyHandlers.ofString());
            return answer.statusCode() == 200 && answer.body().matches("v\\d[\\w.+-]{0,60}\\s*")
                    ? answer.body().strip()
                    : "";
        } catch (IOException e) {
            return "";
        }
    }

    /// @param flag what people write to move it
    /// @param asked whether a server fails without it
    public record Port(String flag, int number, boolean asked) {
        public Port(String flag, int number) {
            this(flag, number, true);
        }
    }
}
