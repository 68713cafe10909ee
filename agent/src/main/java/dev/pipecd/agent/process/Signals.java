// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.process;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/// The system's `kill`: Java can signal a process, but not a group of them.
final class Signals {
    private static final MethodHandle KILL =
            Linker.nativeLinker()
                    .downcallHandle(
                            Linker.nativeLinker().defaultLookup().findOrThrow("kill"),
                            FunctionDescriptor.of(
                                    ValueLayout.JAVA_INT,
                                    ValueLayout.JAVA_INT,
                                    ValueLayout.JAVA_INT));

    private Signals() {}

    /// Sends the signal; a target that is already gone is what the caller wanted.
    static void send(int signal, long target) {
        // 0 and -1 mean "my own group" and "everything": a wrong id must never become one of these.
        if (target >= -1 && target <= 1)
            throw new IllegalArgumentException(
                    "process: %d (expected: a process or group of ours)".formatted(target));
        try {
            int ignored = (int) KILL.invokeExact(Math.toIntExact(target), signal);
        } catch (Throwable e) {
            throw new IllegalStateException("signal: %d to %d".formatted(signal, target), e);
        }
    }
}
