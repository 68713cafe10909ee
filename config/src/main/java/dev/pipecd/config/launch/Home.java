// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.launch;

import dev.pipecd.domain.Problem;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;

/// The home of the user a program runs as: what `HOME` says, as for other programs; Java would ask
/// who the user is instead.
public record Home(Map<String, String> environment) {
    private static final Set<String> WRITTEN = Set.of("~", "$HOME", "${HOME}");

    public Home {
        environment = Map.copyOf(environment);
    }

    /// With what a shell would have put in its place: units of systemd, images and pods start
    /// programs without one, and a shell leaves `--flag=~/folder` as it is.
    public Path resolve(Path written) {
        if (written.isAbsolute() || !WRITTEN.contains(written.getName(0).toString()))
            return written;
        return folder().resolve(written.getName(0).relativize(written));
    }

    private Path folder() {
        var told = environment.getOrDefault("HOME", "");
        var home = told.isEmpty() ? System.getProperty("user.home", "") : told;
        // What the system knows nothing of has this name.
        if (!home.isEmpty() && !home.equals("?")) return Path.of(home);
        throw new Problem(
                Problem.Code.SETTING_INVALID,
                "HOME: not set (expected: the home of the user this program runs as)",
                "Set it, or give folders by flags: --data-dir, and --tools-dir of an agent.");
    }
}
