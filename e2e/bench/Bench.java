// SPDX-License-Identifier: Apache-2.0
package bench;

import java.nio.file.Files;
import java.nio.file.Path;

/// Prints the figures of "Speed and memory" beside what the public system reaches. Measures, asserts nothing.
public final class Bench {
    private Bench() {}

    public static void main(String[] args) throws Exception {
        var dist = Path.of("build/dist").toAbsolutePath();
        var folder = Files.createTempDirectory("pipecd-bench");
        var report = new Report(System.out);
        try {
            var starts = new Starts(dist, folder);
            starts.pipectl(report);
            try (var running = Running.quickstart(dist, folder.resolve("quickstart"))) {
                new Walk(running).run(report);
                starts.memory(running, report);
            }
            starts.server(report);
            try (var running = Running.quickstart(dist, folder.resolve("load"))) {
                new Mix(running).run(report);
            }
        } finally {
            Running.delete(folder);
        }
        report.print();
        // The clients' threads would otherwise keep the program alive.
        System.exit(0);
    }
}
