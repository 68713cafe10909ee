// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.conformance;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// What was really done, by the lines that known stages leave in a file: an outcome alone does not
/// tell that something was done twice.
record Deeds(Path file) implements AutoCloseable {
    static Deeds open() throws IOException {
        return new Deeds(Files.createTempFile("conformance-deeds", ""));
    }

    /// The options, with the place of the file filled in.
    String into(String options) {
        return options.replace("%s", file.toString());
    }

    /// Whether the stage leaves its lines here.
    boolean of(Trial.Sample sample) {
        return sample.with().contains(file.toString());
    }

    int count() {
        try {
            return Files.readAllLines(file).size();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        Files.deleteIfExists(file);
    }
}
