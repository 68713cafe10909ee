// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin.fetch;

import dev.pipecd.config.PipedConfig;
import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Brings the programs of plugins onto this machine, from wherever their `url` says.
public final class Programs {
    private static final Logger log = LoggerFactory.getLogger(Programs.class);

    private final Shelf shelf;
    private final Map<String, String> environment;
    private final boolean anew;
    private final Set<String> brought = ConcurrentHashMap.newKeySet();

    /// @param environment names the proxies
    /// @param anew whether what an address gave to an earlier life of the agent counts for nothing
    public Programs(Path folder, Map<String, String> environment, boolean anew) {
        this.shelf = new Shelf(folder);
        this.environment = Map.copyOf(environment);
        this.anew = anew;
    }

    public record Program(Path file, Checksum checksum) {}

    /// Takes away what a killed agent left half fetched; before the first is brought.
    public void sweep() throws IOException {
        shelf.sweep();
    }

    /// Takes away what no plugin of the configuration runs any more; when all of them were brought.
    public void tidy(List<PipedConfig.Plugin> plugins, Collection<Program> used)
            throws IOException {
        shelf.tidy(
                used.stream().map(Program::file).collect(Collectors.toSet()),
                plugins.stream().map(PipedConfig.Plugin::url).collect(Collectors.toSet()));
    }

    /// The plugin's program, whole and of the checksum asked for.
    ///
    /// @param telling hears how far it is
    public Program bring(PipedConfig.Plugin plugin, Consumer<String> telling)
            throws IOException, InterruptedException {
        var wanted = Optional.of(plugin.origin().checksum()).filter(c -> !c.isEmpty());
        var pinned = wanted.map(Checksum::parse);
        if (pinned.isPresent()) {
            var here = shelf.find(pinned.get(), plugin.name());
            if (here.isPresent()) return new Program(here.get(), pinned.get());
        }
        var limit = plugin.origin().timeout();
        var program =
                within(limit, plugin.shownUrl(), () -> fetch(new Order(plugin, pinned, telling)));
        brought.add(plugin.url());
        return program;
    }

    /// The program that was brought before, if it is still here and whole.
    public Optional<Program> again(PipedConfig.Plugin plugin, Optional<Program> before)
            throws IOException {
        if (before.isEmpty()) return Optional.empty();
        return shelf.find(before.get().checksum(), plugin.name()).map(_ -> before.get());
    }

    /// A plugin that crashes is not fetched once more for that.
    private boolean countsForNothing(Order order) {
        return anew && !brought.contains(order.plugin.url());
    }

    private record Order(
            PipedConfig.Plugin plugin, Optional<Checksum> pinned, Consumer<String> telling) {
        String name() {
            return plugin.name();
        }
    }

    private Program fetch(Order order) throws IOException, InterruptedException {
        var url = order.plugin.url();
        var colon = url.indexOf(':');
        return switch (colon < 0 ? "" : url.substring(0, colon)) {
            case "https", "http" -> fromWeb(order, URI.create(url));
            case "oci" -> fromRegistry(order, OciReference.parse(url));
            default -> fromFile(order, file(url));
        };
    }

    private static Path file(String url) {
        if (!url.startsWith("file:")) return Path.of(url);
        try {
            var path = new URI(url).getPath();
            return Path.of(path == null ? url.substring("file:".length()) : path);
        } catch (URISyntaxException e) {
            // With a blank or the like, which the public agent takes as it is written.
            return Path.of(url.replaceFirst("^file:(//[^/]*)?", ""));
        }
    }

    /// Copied: what is run must not change under a running plugin, nor be half written.
    private Program fromFile(Order order, Path file) throws IOException {
        if (!Files.isRegularFile(file) || !Files.isReadable(file))
            throw new Problem(
                    Problem.Code.PLUGIN_UNAVAILABLE,
                    "url: %s of plugin %s (expected: a file the agent can read)"
                            .formatted(file.toAbsolutePath(), order.name()),
                    "Correct the path or the file's permissions.");
        var checksum = Checksum.of(file);
        var known = shelf.find(checksum, order.name());
        if (known.isPresent() && order.pinned.isEmpty()) return new Program(known.get(), checksum);
        try (var content = Files.newInputStream(file)) {
            return keep(order, content, file.toString());
        }
    }

    private Program fromWeb(Order order, URI address) throws IOException, InterruptedException {
        var before =
                countsForNothing(order)
                        ? Optional.<Program>empty()
                        : remembered(order, order.plugin.url());
        if (before.isPresent()) return before.get();
        try (var web = new Web(environment)) {
            var answer = web.get(address, Web.basic(order.plugin.origin()));
            var size = answer.headers().firstValueAsLong("Content-Length").orElse(-1);
            try (var body = web.body(address, answer)) {
                return remember(order, order.plugin.url(), body, Web.shown(address), size);
            }
        }
    }

    private Program fromRegistry(Order order, OciReference reference)
            throws IOException, InterruptedException {
        if (reference.digest().isPresent() && !countsForNothing(order)) {
            var before = remembered(order, order.plugin.url());
            if (before.isPresent()) return before.get();
        }
        try (var web = new Web(environment)) {
            return ask(order, new OciRegistry(web, reference, Web.basic(order.plugin.origin())));
        }
    }

    private Program ask(Order order, OciRegistry registry)
            throws IOException, InterruptedException {
        OciRegistry.Artifact artifact;
        try {
            artifact = registry.artifact();
        } catch (IOException | Problem unreachable) {
            // A registry that is away must not keep a plugin down that ran yesterday.
            var before = remembered(order, order.plugin.url());
            if (before.isEmpty()) throw unreachable;
            log.warn(
                    "plugin {}: {}; what its tag named before is run",
                    order.name(),
                    unreachable.getMessage());
            return before.get();
        }
        var exact = order.plugin.url() + " " + artifact.digest();
        var before = countsForNothing(order) ? Optional.<Program>empty() : remembered(order, exact);
        var program = before.isPresent() ? before.get() : pull(order, registry, artifact);
        shelf.remember(exact, program.checksum());
        shelf.remember(order.plugin.url(), program.checksum());
        return program;
    }

    private Program pull(Order order, OciRegistry registry, OciRegistry.Artifact artifact)
            throws IOException, InterruptedException {
        var sizes = artifact.layers().stream().mapToLong(OciRegistry.Layer::size).toArray();
        var size = LongStream.of(sizes).allMatch(n -> n >= 0) ? LongStream.of(sizes).sum() : -1;
        try (var content = registry.content(artifact)) {
            return keep(
                    order,
                    new Progress(content, order.plugin.url(), size, tell(order)),
                    order.plugin.url());
        }
    }

    private Program remember(Order order, String address, InputStream body, String from, long size)
            throws IOException {
        var kept = keep(order, new Progress(body, from, size, tell(order)), from);
        shelf.remember(address, kept.checksum());
        return kept;
    }

    private static Consumer<String> tell(Order order) {
        return what -> {
            log.info("plugin {} {}", order.name(), what);
            order.telling.accept(what);
        };
    }

    private Program keep(Order order, InputStream content, String from) throws IOException {
        var checksum = shelf.keep(content, order.name(), order.pinned, from);
        log.info("plugin {} is fetched from {}: {}", order.name(), from, checksum);
        return new Program(shelf.find(checksum, order.name()).orElseThrow(), checksum);
    }

    private Optional<Program> remembered(Order order, String address) throws IOException {
        var checksum = shelf.remembered(address);
        // What is pinned now may be another than what came then.
        if (checksum.isEmpty() || (order.pinned.isPresent() && !order.pinned.equals(checksum)))
            return Optional.empty();
        return shelf.find(checksum.get(), order.name())
                .map(file -> new Program(file, checksum.get()));
    }

    /// A server that sends a byte a minute must not hold up a plugin for ever.
    private static Program within(Duration limit, String url, Fetching work)
            throws IOException, InterruptedException {
        var task = new FutureTask<>(work::fetch);
        Thread.ofVirtual().name("plugin-fetch").start(task);
        try {
            return task.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new Problem(
                    Problem.Code.PLUGIN_UNAVAILABLE,
                    "url: %s is not fetched within %d s (expected: a faster answer)"
                            .formatted(url, limit.toSeconds()),
                    "Check the network, or raise the plugin's `downloadTimeout`.",
                    e);
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case Problem problem -> throw problem;
                case IOException broken -> throw unreadable(url, broken);
                case InterruptedException stopped -> throw stopped;
                case IllegalArgumentException _ -> throw unreadable(url);
                case null -> throw new IllegalStateException("nothing is fetched", e);
                // Its words may hold the whole address.
                case Throwable fault ->
                        throw new IllegalStateException(
                                "the fetch breaks: " + fault.getClass().getName(), fault);
            }
        } finally {
            task.cancel(true);
        }
    }

    /// Without the reason, which tells the whole address.
    private static Problem unreadable(String url) {
        return new Problem(
                Problem.Code.PLUGIN_UNAVAILABLE,
                "url: %s cannot be read (expected: an address)".formatted(url),
                "Correct the plugin's `url`: its host, port and signs.");
    }

    private static Problem unreadable(String url, IOException broken) {
        return new Problem(
                Problem.Code.PLUGIN_UNAVAILABLE,
                "url: %s cannot be fetched: %s (expected: the plugin's program)"
                        .formatted(url, told(broken)),
                "Check the address, the network, and HTTPS_PROXY and NO_PROXY if there is a proxy.",
                broken);
    }

    private static String told(IOException broken) {
        return broken.getMessage() == null
                ? broken.getClass().getSimpleName()
                : broken.getMessage();
    }

    private interface Fetching {
        Program fetch() throws IOException, InterruptedException;
    }
}
