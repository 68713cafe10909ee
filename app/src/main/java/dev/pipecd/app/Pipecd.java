// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.app;

import dev.pipecd.app.quickstart.QuickstartCommand;
import dev.pipecd.config.launch.GoFlags;
import java.util.ArrayList;
import java.util.Arrays;

/// `pipecd`: the control plane's own commands, and `quickstart`.
public final class Pipecd {
    private Pipecd() {}

    public static void main(String[] given) {
        var commands = new ArrayList<>(dev.pipecd.controlplane.Pipecd.commands());
        commands.add("quickstart");
        var args = GoFlags.commandFirst(commands, given);
        var quickstart = args.length > 0 && args[0].equals("quickstart");
        System.exit(
                quickstart
                        ? QuickstartCommand.run(
                                Distribution.home(), Arrays.copyOfRange(args, 1, args.length))
                        : dev.pipecd.controlplane.Pipecd.run(args));
    }
}
