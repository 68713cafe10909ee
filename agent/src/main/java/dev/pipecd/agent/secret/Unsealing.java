// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.secret;

import dev.pipecd.agent.template.Template;
import dev.pipecd.config.ApplicationConfig;
import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Fills in secrets and attached files where an application's files ask for them. The folder is the
/// caller's: nobody else may look into it, and it must not be taken for whole before this came
/// back.
public final class Unsealing {
    private static final String SECRETS = "encryptedSecrets";
    private static final String ATTACHMENT = "attachment";
    private static final long LARGEST = 4L << 20;

    private final Secrets secrets;

    public Unsealing(Secrets secrets) {
        this.secrets = secrets;
    }

    /// Whether anything is to be filled in for this application.
    public static boolean concerns(ApplicationConfig config) {
        return !targets(config).isEmpty();
    }

    private static List<String> targets(ApplicationConfig config) {
        var all = new ArrayList<>(config.additions().encryption().decryptionTargets());
        all.addAll(config.additions().attachment().targets());
        return all;
    }

    /// One at a time: what is filled in is held in memory several times over.
    ///
    /// @param root what was exported: no path may lead out of it
    /// @param directory the application's directory inside it
    public synchronized void fill(ApplicationConfig config, Path root, Path directory) {
        if (!concerns(config)) return;
        try {
            new Filling(config, root.toRealPath(), directory.toRealPath()).run();
        } catch (IOException e) {
            throw new Problem(
                    Problem.Code.STORE_UNAVAILABLE,
                    "source of %s: %s (expected: files the agent can read and write)"
                            .formatted(config.name(), e),
                    "Give the agent's data directory room and write permission.",
                    e);
        }
    }

    private final class Filling {
        private final ApplicationConfig config;
        private final Path root;
        private final Path directory;
        private final Map<String, byte[]> opened = new LinkedHashMap<>();

        private Filling(ApplicationConfig config, Path root, Path directory) {
            this.config = config;
            this.root = root;
            this.directory = directory;
        }

        /// First the secrets, so that an attached file may hold some. A file that is a target of
        /// both is filled in once: what a secret says is never taken for a template.
        private void run() throws IOException {
            var encryption = config.additions().encryption();
            var attachment = config.additions().attachment();
            encryption
                    .encryptedSecrets()
                    .forEach((name, sealed) ->
                            opened.put(
                                    name,
                                    secrets.open("encryption.encryptedSecrets." + name, sealed)));
            var later = new ArrayList<Path>();
            for (var target : attachment.targets()) later.add(file("attachment.targets", target));
            var first = new ArrayList<Path>();
            for (var target : encryption.decryptionTargets()) {
                var file = file("encryption.decryptionTargets", target);
                if (!later.contains(file)) first.add(file);
            }
            render(first, attached());
            render(later, attached());
        }

        private Map<String, byte[]> attached() throws IOException {
            var attached = new LinkedHashMap<String, byte[]>();
            for (var source : config.additions().attachment().sources().entrySet())
                attached.put(
                        source.getKey(),
                        content(file("attachment.sources." + source.getKey(), source.getValue())));
            return attached;
        }

        private void render(List<Path> targets, Map<String, byte[]> attached) throws IOException {
            var values = new Template.Values().with(SECRETS, opened).with(ATTACHMENT, attached);
            for (var target : targets.stream().distinct().toList()) {
                var template =
                        Template.parse(directory.relativize(target).toString(), content(target));
                write(target, template.render(values));
            }
        }

        private byte[] content(Path file) throws IOException {
            var size = Files.size(file);
            if (size > LARGEST)
                throw new Problem(
                        Problem.Code.CONFIG_TOO_LARGE,
                        "%s: %d bytes (expected: at most %d)"
                                .formatted(directory.relativize(file), size, LARGEST),
                        "Attach and fill in small files only.");
            return Files.readAllBytes(file);
        }

        private Path file(String setting, String written) throws IOException {
            try {
                var file = directory.resolve(written).normalize();
                if (!written.startsWith("/") && file.startsWith(root)) {
                    if (!Files.isRegularFile(file)) throw missing(setting, written);
                    var real = file.toRealPath();
                    if (real.startsWith(root)) return real;
                }
            } catch (InvalidPathException e) {
                throw missing(setting, written);
            }
            throw new Problem(
                    Problem.Code.PATH_LEAVES_REPOSITORY,
                    "%s: \"%s\" (expected: a file inside the application's directory)"
                            .formatted(setting, visible(written)),
                    "Name a file beside the application's configuration, or below it.");
        }
    }

    private static Problem missing(String setting, String written) {
        return new Problem(
                Problem.Code.CONFIG_INVALID,
                "%s: \"%s\" (expected: a file of the application)"
                        .formatted(setting, visible(written)),
                "Add the file, or correct the path.");
    }

    private static String visible(String written) {
        return written.replaceAll("\\p{Cntrl}", "?");
    }

    /// For the owner's eyes only from the first byte on.
    private static void write(Path file, byte[] content) throws IOException {
        var ours = EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);
        if (Files.getPosixFilePermissions(file, LinkOption.NOFOLLOW_LINKS)
                .contains(PosixFilePermission.OWNER_EXECUTE))
            ours.add(PosixFilePermission.OWNER_EXECUTE);
        Files.setPosixFilePermissions(file, ours);
        try (var channel =
                FileChannel.open(
                        file, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
            var bytes = java.nio.ByteBuffer.wrap(content);
            while (bytes.hasRemaining()) {
                var _ = channel.write(bytes);
            }
        }
    }
}
