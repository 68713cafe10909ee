// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.filestore;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A file store whose host has an underscore, as services of a composition often have.
final class S3HostNameTest {
    @TempDir private Path folder;

    /// In a process of its own, because only at its start it can be told a name of this host.
    @Test
    void aServerWhoseNameHasAnUnderscoreIsFoundWrittenToAndRead() throws Exception {
        var names = Files.writeString(folder.resolve("hosts"), "127.0.0.1 my_minio\n");
        var log = folder.resolve("log");
        try (var front = new S3Front(S3Server.address(), true)) {
            var process = started(names, front.address().getPort(), log);

            assertThat(process.waitFor()).as(() -> read(log)).isZero();
            assertThat(read(log)).endsWith("read: written under http://my_minio\n");
        }
    }

    private static Process started(Path names, int port, Path log) throws IOException {
        return new ProcessBuilder(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-XX:TieredStopAtLevel=1",
                                "-Djdk.net.hosts.file=" + names,
                                "-cp",
                                System.getProperty("java.class.path"),
                                Visitor.class.getName(),
                                "http://my_minio:" + port))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
    }

    private static String read(Path log) {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// The process.
    static final class Visitor {
        private Visitor() {}

        public static void main(String[] arguments) {
            var bucket = S3Server.bucket(URI.create(arguments[0]), "by-another-name");
            try (var stores = S3Server.open(bucket)) {
                var path = FilePath.of("a", "b");
                stores.files().put(path, "written under http://my_minio".getBytes(UTF_8));
                System.out.println(
                        "read: " + new String(stores.files().get(path).orElseThrow(), UTF_8));
            }
        }
    }
}
