// SPDX-License-Identifier: Apache-2.0
package bench;

/// As many log lines as 16 stages can be given, in reports of 20 lines of 80 bytes.
final class Logs {
    private static final int STAGES = 16;
    private static final long MEASURED = 15_000_000_000L;

    private final Stand stand;
    private final String storage;

    Logs(Stand stand, String storage) {
        this.stand = stand;
        this.storage = storage;
    }

    void run(Report report) throws Exception {
        var sources = new AgentMix(stand, storage).workers(STAGES).stream().map(AgentMix.Worker::onlyLogs).toList();
        try (var callers = Callers.connect(stand.port(), sources)) {
            callers.load(STAGES, Bench.warmUp());
            var began = System.nanoTime();
            var calls = callers.load(STAGES, MEASURED).length;
            var rate = 20 * calls / ((System.nanoTime() - began) / 1e9);
            report.row("Stage-log lines taken, %s, %d stages".formatted(storage, STAGES), "%,.0f lines/s".formatted(rate), "≥ 20,000/s", "", "");
        }
    }
}
