// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.host;

import dev.pipecd.domain.Problem;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The command line of a plugin, `--flag value` and `--flag=value` alike; flags it does not know
/// are passed over, as agents of other versions may set them.
record Arguments(String command, Map<String, String> flags) {
    Arguments {
        flags = Map.copyOf(flags);
    }

    static Arguments of(List<String> args) {
        var command = "";
        var flags = new HashMap<String, String>();
        for (int i = 0; i < args.size(); i++) {
            var arg = args.get(i);
            if (!arg.startsWith("--")) {
                if (command.isEmpty()) command = arg;
            } else if (arg.contains("=")) {
                flags.put(arg.substring(2, arg.indexOf('=')), arg.substring(arg.indexOf('=') + 1));
            } else if (i + 1 < args.size() && !args.get(i + 1).startsWith("--")) {
                flags.put(arg.substring(2), args.get(++i));
            } else {
                flags.put(arg.substring(2), "true");
            }
        }
        return new Arguments(command, flags);
    }

    String required(String flag) {
        var value = flags.getOrDefault(flag, "");
        if (!value.isEmpty()) return value;
        throw new Problem(
                Problem.Code.SETTING_INVALID,
                "--" + flag + ": missing (expected: a value)",
                "Plugins are started by the agent: `start --piped-plugin-service HOST:PORT --config JSON`.");
    }
}
