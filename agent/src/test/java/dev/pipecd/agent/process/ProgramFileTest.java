// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ProgramFileTest {
    private static final int TIMES = 200;

    @TempDir Path folder;

    @Test
    void itRunsAtOnceWhileOtherThingsAreStarted() throws Exception {
        var script =
                Files.writeString(
                        folder.resolve("script"), "#!/bin/sh\nexit 0\n" + "#".repeat(1 << 20));
        var over = new AtomicBoolean();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var others = threads.submit((Callable<Boolean>) () -> startOthers(over));
            var exits = new ArrayList<Integer>();
            try {
                for (var n = 0; n < TIMES; n++) {
                    var program = folder.resolve("program-" + n);
                    ProgramFile.copy(script, program);
                    exits.add(run(program.toString()));
                    Files.delete(program);
                }
            } finally {
                over.set(true);
            }

            assertThat(exits).hasSize(TIMES).containsOnly(0);
            others.get();
        }
    }

    private static boolean startOthers(AtomicBoolean over) throws Exception {
        while (!over.get()) run("true");
        return true;
    }

    private static int run(String program) throws Exception {
        return ProcessGroup.start(List.of(program), Map.of(), Set.of()).process().waitFor();
    }

    @Test
    void whatCannotBeCopiedIsTold() {
        assertThatThrownBy(() ->
                        ProgramFile.copy(folder.resolve("missing"), folder.resolve("program")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("missing")
                .hasMessageContaining("No such file");
    }
}
