// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.controlplane.filestore.LocalFiles;
import dev.pipecd.controlplane.filestore.StageLogFiles;
import dev.pipecd.controlplane.filestore.StageLogStore;
import dev.pipecd.domain.CommandId;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.LogBlock;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KilledWriterTest {
    @TempDir Path folder;

    @Test
    void allThatWasAcknowledgedBeforeKillMinusNineIsThere() throws Exception {
        var acknowledged = writeUntilKilled(400);

        try (var database = Database.open(folder.resolve("pipecd.db"));
                var logs = new StageLogFiles(new LocalFiles(folder.resolve("files")))) {
            var trail = new Trail(database);
            var commands = new CommandTable(database, trail, InstantSource.system());
            for (var line : acknowledged) {
                var parts = line.split(" ");
                if (parts[0].equals("command"))
                    assertThat(commands.find(new CommandId(parts[1]))).isPresent();
                else
                    assertThat(
                                    logs
                                            .read(StageLogStore.path("d1", parts[1], 0), 0)
                                            .orElseThrow()
                                            .blocks()
                                            .stream()
                                            .map(LogBlock::getIndex)
                                            .collect(Collectors.toSet()))
                            .contains(Long.valueOf(parts[2]));
            }
            assertThat(acknowledged.stream().filter(l -> l.startsWith("command"))).isNotEmpty();
            assertThat(acknowledged.stream().filter(l -> l.startsWith("log"))).isNotEmpty();
        }
    }

    private List<String> writeUntilKilled(int lines) throws IOException, InterruptedException {
        var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        var process =
                new ProcessBuilder(
                                java,
                                "--enable-native-access=ALL-UNNAMED",
                                "-XX:+UseSerialGC",
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Victim.class.getName(),
                                folder.toString())
                        .redirectErrorStream(false)
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        var acknowledged = new ArrayList<String>();
        try (var reader =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            String line;
            while ((line = reader.readLine()) != null) {
                acknowledged.add(line);
                if (acknowledged.size() == lines) process.toHandle().destroyForcibly();
            }
        }
        process.waitFor();
        // the last line may be cut by the kill
        return acknowledged.subList(0, acknowledged.size() - 1);
    }

    /// Writes commands and log lines from eight threads and prints each once it is acknowledged.
    public static final class Victim {
        private Victim() {}

        public static void main(String[] args) {
            var folder = Path.of(args[0]);
            var database = Database.open(folder.resolve("pipecd.db"));
            var commands = new CommandTable(database, new Trail(database), InstantSource.system());
            var logs = new StageLogFiles(new LocalFiles(folder.resolve("files")));
            try (var threads = Executors.newFixedThreadPool(8)) {
                for (var t = 0; t < 8; t++) {
                    var name = "t" + t;
                    threads.submit(() -> {
                        for (var i = 1L; ; i++) {
                            commands.add(
                                    Command.newBuilder()
                                            .setId(name + "-" + i)
                                            .setPipedId("p1")
                                            .setProjectId("here")
                                            .build(),
                                    "ann");
                            told("command " + name + "-" + i);
                            logs.append(
                                    StageLogStore.path("d1", name, 0),
                                    List.of(
                                            LogBlock.newBuilder()
                                                    .setIndex(i)
                                                    .setLog("line " + i)
                                                    .build()),
                                    false);
                            told("log " + name + " " + i);
                        }
                    });
                }
            }
        }

        private static synchronized void told(String line) {
            System.out.println(line);
            System.out.flush();
        }
    }
}
