// SPDX-License-Identifier: Apache-2.0
package bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// Prints figures of speed and memory beside what the public system reaches. Measures: it fails when the work was not done, not when it was slow.
public final class Bench {
    private static final String HELP = """
            make bench ARGS="PART…"

              starts   start-up and memory at rest                                usual
              walk     from commit to approval in a quickstart                    usual
              mix      the public mix of calls, 1, 16 and 64 in flight            mix:sqlite is usual; 3 minutes a storage
              logs     stage-log lines taken                                      1 minute a storage
              agents   2,000 agents connected, a command to each                  2 minutes
              lists    every list and filter at 1,000,000 deployments             up to 10 minutes an engine
              agent    monorepo, burst and restart                                usual, 20 minutes
              monorepo the agent with 500, 5,000, 50,000 applications: monorepo:500   4 minutes a size
              burst    1,000 deployments, 100 stages at once; fewer: burst:100    4 minutes
              restart  an agent killed with 200 running deployments; fewer: restart:20   1 minute
              whole    64 people ask for all of 50,000 applications at once       1 minute an engine

            Without a part, the usual ones. mix, logs, lists and whole take engines behind a colon: mix:sqlite,mysql
            (usual: sqlite,mysql; lists: also mariadb). Servers come with their Redis and S3. mix:beside asks a server that runs already and has a quickstart's project:
            BESIDE=9080,9081,9082,4711 in the environment names its ports for agents, people and pages, and its process id.
            DEPLOYMENTS=100000 in the environment makes lists smaller, WARM_UP=10 lets mix and logs begin after that many seconds of load (usual: 60),
            IDLE_MINUTES=10 lets monorepo measure idle minutes for so long (usual: 1).
            """;

    private Bench() {}

    public static void main(String[] args) throws Exception {
        if (List.of(args).contains("--help")) {
            System.out.print(HELP);
            return;
        }
        var dist = Path.of("build/dist").toAbsolutePath();
        var folder = Files.createTempDirectory("pipecd-bench");
        var report = new Report(System.out);
        var parts = args.length == 0 ? List.of("starts", "walk", "mix:sqlite", "agent") : List.of(args);
        try {
            if (parts.contains("starts") || parts.contains("walk")) quickstart(dist, folder, parts, report);
            for (var part : parts) run(part, dist, folder, report);
        } finally {
            Running.delete(folder);
        }
        report.print();
        // The clients' threads would otherwise keep the program alive.
        System.exit(0);
    }

    private static void quickstart(Path dist, Path folder, List<String> parts, Report report) throws Exception {
        var starts = new Starts(dist, folder);
        try (var running = Running.quickstart(dist, folder.resolve("quickstart"))) {
            if (parts.contains("walk")) new Walk(running).run(report);
            if (parts.contains("starts")) starts.memory(running, report);
        }
        if (parts.contains("starts")) {
            starts.pipectl(report);
            starts.server(report);
        }
    }

    private static void run(String part, Path dist, Path folder, Report report) throws Exception {
        switch (part.split(":")[0]) {
            case "starts", "walk" -> {} // done
            case "mix", "logs" -> {
                for (var engine : engines(part, "sqlite,mysql")) agents(part.split(":")[0], engine, dist, folder, report);
            }
            case "agents" -> new ManyAgents(dist, folder).run(report);
            case "lists" -> {
                var deployments = Integer.parseInt(System.getenv().getOrDefault("DEPLOYMENTS", "1000000"));
                for (var engine : engines(part, "sqlite,mysql,mariadb")) new Lists(dist, folder, deployments).run(engine, report);
            }
            case "agent" -> {
                for (var one : List.of("monorepo", "burst", "restart")) run(one, dist, folder, report);
            }
            case "monorepo" -> {
                for (var size : engines(part, "500,5000,50000")) new Monorepos(dist, folder).run(Integer.parseInt(size), report);
            }
            case "burst" -> new Burst(dist, folder, size(part, 1_000)).run(report);
            case "restart" -> new Restart(dist, folder, size(part, 200)).run(report);
            case "whole" -> {
                for (var engine : engines(part, "sqlite,mysql")) new WholeLists(dist, folder).run(engine, report);
            }
            default -> throw new IllegalArgumentException("part: %s (expected: one of those that --help names)".formatted(part));
        }
    }

    private static void agents(String part, String engine, Path dist, Path folder, Report report) throws Exception {
        if (engine.equals("beside")) {
            try (var stand = Stand.beside(System.getenv().getOrDefault("BESIDE", ""))) {
                if (part.equals("mix")) new AgentMix(stand, "the server beside").run(report);
                else new Logs(stand, "the server beside").run(report);
            }
            return;
        }
        var place = Files.createDirectory(folder.resolve(part + "-" + engine));
        try (var storage = Storage.of(engine, place); var stand = Stand.start(dist, place, storage)) {
            if (part.equals("mix")) new AgentMix(stand, storage.name()).run(report);
            else new Logs(stand, storage.name()).run(report);
        }
    }

    /// In nanoseconds: a server that has just started still compiles what it runs often.
    static long warmUp() {
        return 1_000_000_000L * Integer.parseInt(System.getenv().getOrDefault("WARM_UP", "60"));
    }

    private static int size(String part, int usual) {
        return Integer.parseInt(engines(part, "" + usual).getFirst());
    }

    private static List<String> engines(String part, String usual) {
        var colon = part.indexOf(':');
        return List.of((colon < 0 ? usual : part.substring(colon + 1)).split(","));
    }
}
