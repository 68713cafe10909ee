// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugins;

import dev.pipecd.plugin.testkit.FakeAgent;
import dev.pipecd.plugin.testkit.StageOrder;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;

/// How a host is started: with an archive of its classes, since loading them anew for every host
/// would be most of the processor time of these tests.
final class HostCommand {
    private static final Path FOLDER = Path.of("target", "host").toAbsolutePath();
    private static final Path ARCHIVE = FOLDER.resolve("classes.jsa");
    private static final List<String> COMMAND = prepare();

    private HostCommand() {}

    static List<String> get() {
        return COMMAND;
    }

    private static List<String> prepare() {
        try {
            Files.createDirectories(FOLDER);
            Files.deleteIfExists(ARCHIVE);
            var jars = new ArrayList<String>();
            for (var part : System.getProperty("java.class.path").split(File.pathSeparator))
                jars.add(Files.isDirectory(Path.of(part)) ? packed(part, jars.size()) : part);
            learn(java("-XX:ArchiveClassesAtExit=" + ARCHIVE, jars));
            return java("-XX:SharedArchiveFile=" + ARCHIVE, jars);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /// An archive knows jars only.
    private static String packed(String folder, int number) throws IOException {
        var jar = FOLDER.resolve(number + ".jar").toString();
        var tool = ToolProvider.findFirst("jar").orElseThrow();
        if (tool.run(System.out, System.err, "-c", "-0", "-M", "-f", jar, "-C", folder, ".") != 0)
            throw new IOException(folder + " cannot be packed");
        return jar;
    }

    /// Runs a stage in a first host, to know the classes by.
    private static void learn(List<String> java) throws Exception {
        try (var agent = FakeAgent.open(HostProcess.TOKEN)) {
            var host = HostProcess.start(java, FOLDER, HostProcess.arguments(agent, FOLDER));
            var script = "{\"run\": \"true\"}";
            // A stage that an earlier run of the tests has not ended yet.
            var stage = "learn-" + ProcessHandle.current().pid();
            agent.execute(new StageOrder("scriptrun", stage, "SCRIPT_RUN", 0, script, FOLDER))
                    .get();
            host.terminate();
        }
    }

    /// A host whose archive could not be made starts without it, only slower.
    private static List<String> java(String archive, List<String> jars) {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xlog:disable",
                "-Xlog:all=error:stderr",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xmx128m",
                archive,
                "-cp",
                String.join(File.pathSeparator, jars),
                StagesHost.class.getName());
    }
}
