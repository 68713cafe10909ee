// SPDX-License-Identifier: Apache-2.0
package bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// Prints the figures of "Speed and memory" beside what the public system reaches. Measures, asserts nothing. `make
/// bench ARGS=walk` takes one part only: `starts`, `walk` or `load`.
public final class Bench {
    private Bench() {}

    public static void main(String[] args) throws Exception {
        var dist = Path.of("build/dist").toAbsolutePath();
        var folder = Files.createTempDirectory("pipecd-bench");
        var report = new Report(System.out);
        var wanted = args.length == 0 ? List.of("starts", "walk", "load") : List.of(args);
        try {
            var starts = new Starts(dist, folder);
            try (var running = Running.quickstart(dist, folder.resolve("quickstart"))) {
                if (wanted.contains("walk")) new Walk(running).run(report);
                if (wanted.contains("starts")) starts.memory(running, report);
            }
            if (wanted.contains("starts")) {
                starts.pipectl(report);
                starts.server(report);
            }
            if (wanted.contains("load")) {
                try (var running = Running.quickstart(dist, folder.resolve("load"))) {
                    new Mix(running).run(report);
                }
            }
        } finally {
            Running.delete(folder);
        }
        report.print();
        // The clients' threads would otherwise keep the program alive.
        System.exit(0);
    }
}
