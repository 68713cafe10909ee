// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.app;

import dev.pipecd.cli.Pipectl;
import java.io.PrintWriter;
import java.io.Writer;

/// What `make dist` lets pipectl do once, so that its start-up cache knows help as well as calls.
public final class PipectlTraining {
    private PipectlTraining() {}

    public static void main(String[] call) {
        var nowhere = new PrintWriter(Writer.nullWriter());
        Pipectl.run(nowhere, nowhere, "--help");
        Pipectl.run(nowhere, nowhere, call);
    }
}
