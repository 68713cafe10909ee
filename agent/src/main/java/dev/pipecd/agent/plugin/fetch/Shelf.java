// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin.fetch;

import dev.pipecd.agent.process.ProgramFile;
import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Programs on this machine, each in a folder named by its checksum; and which address gave which.
final class Shelf {
    private static final Logger log = LoggerFactory.getLogger(Shelf.class);

    private static final String HALF = "half-";

    private final Path root;

    Shelf(Path root) {
        this.root = root.toAbsolutePath().normalize();
    }

    /// Takes away what a killed agent left half fetched.
    void sweep() throws IOException {
        if (!Files.isDirectory(root)) return;
        try (var halves = Files.newDirectoryStream(root, HALF + "*")) {
            for (var half : halves) Files.deleteIfExists(half);
        }
    }

    /// Takes away programs, and notes of addresses, that are not among those in use.
    void tidy(Set<Path> used, Set<String> addresses) throws IOException {
        if (!Files.isDirectory(root)) return;
        try (var folders = Files.newDirectoryStream(root, "sha256-*")) {
            for (var folder : folders) tidy(folder, used);
        }
        var notes = root.resolve("addresses");
        if (!Files.isDirectory(notes)) return;
        try (var all = Files.newDirectoryStream(notes)) {
            for (var note : all) {
                var address = Files.readAllLines(note).stream().skip(1).findFirst().orElse("");
                // Behind a space is the digest that a tag named.
                if (!addresses.contains(address.split(" ", 2)[0])) Files.deleteIfExists(note);
            }
        }
    }

    private static void tidy(Path folder, Set<Path> used) throws IOException {
        try (var programs = Files.newDirectoryStream(folder)) {
            for (var program : programs)
                if (!used.contains(program)) {
                    Files.deleteIfExists(program);
                    log.info("{} is not used any more and taken away", program);
                }
        }
        try (var rest = Files.newDirectoryStream(folder)) {
            if (rest.iterator().hasNext()) return;
        }
        Files.deleteIfExists(folder);
    }

    /// The program, if it is here and whole: what was torn or changed is taken away.
    Optional<Path> find(Checksum checksum, String name) throws IOException {
        var file = place(checksum, name);
        if (!Files.exists(file)) return Optional.empty();
        if (Checksum.of(file).equals(checksum)) return Optional.of(file);
        log.warn("{} is not what its folder says and is fetched again", file);
        Files.delete(file);
        return Optional.empty();
    }

    /// Keeps what is read. It gets its name when it is whole and on the disk: a half is never run.
    ///
    /// @param wanted what it must be, unless anything is welcome
    Checksum keep(InputStream content, String name, Optional<Checksum> wanted, String from)
            throws IOException {
        Files.createDirectories(root);
        var half = Files.createTempFile(root, HALF, "");
        var whole = half.resolveSibling(half.getFileName() + "-whole");
        try {
            var counting = Checksum.counting(content);
            try (var into = Files.newOutputStream(half)) {
                counting.transferTo(into);
            }
            var got = Checksum.of(counting);
            if (wanted.isPresent() && !wanted.get().equals(got))
                throw other(from, got, wanted.get());
            ProgramFile.copy(half, whole);
            var file = place(got, name);
            Files.createDirectories(file.resolveSibling(""));
            Files.move(whole, file, StandardCopyOption.ATOMIC_MOVE);
            return got;
        } finally {
            Files.deleteIfExists(half);
            Files.deleteIfExists(whole);
        }
    }

    private static Problem other(String from, Checksum got, Checksum wanted) {
        return new Problem(
                Problem.Code.PLUGIN_UNAVAILABLE,
                "checksum: %s of %s (expected: %s)".formatted(got, from, wanted),
                "Do not run it before you know why it changed; if it may, correct the plugin's `checksum`.");
    }

    /// What an address gave when it was last asked.
    Optional<Checksum> remembered(String address) throws IOException {
        try {
            return Optional.of(Checksum.parse(Files.readAllLines(note(address)).getFirst()));
        } catch (NoSuchFileException
                | IllegalArgumentException
                | java.util.NoSuchElementException e) {
            return Optional.empty();
        }
    }

    void remember(String address, Checksum checksum) throws IOException {
        var note = note(address);
        Files.createDirectories(note.resolveSibling(""));
        var half = Files.createTempFile(root, HALF, "");
        Files.write(half, (checksum + "\n" + address + "\n").getBytes(StandardCharsets.UTF_8));
        Files.move(half, note, StandardCopyOption.ATOMIC_MOVE);
    }

    private Path place(Checksum checksum, String name) {
        return root.resolve("sha256-" + checksum.hex()).resolve(name);
    }

    private Path note(String address) {
        return root.resolve("addresses").resolve(Checksum.of(address).hex());
    }
}
