// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.follow;

import dev.pipecd.cli.connect.ApiConnection;
import dev.pipecd.cli.show.Printable;
import dev.pipecd.cli.show.Terminal;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.Problem.Code;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/// One look among many: a control plane that restarts meanwhile is waited for, not an error.
public final class Look {
    private final ApiConnection api;
    private final Terminal terminal;
    private boolean away;

    public Look(ApiConnection api, Terminal terminal) {
        this.api = api;
        this.terminal = terminal;
    }

    public <A> Optional<A> at(Function<ApiConnection, A> call) {
        try {
            var answer = call.apply(api);
            if (away) terminal.progress("The control plane is back.");
            away = false;
            return Optional.of(answer);
        } catch (Problem problem) {
            if (problem.code() != Code.CONTROL_PLANE_UNREACHABLE) throw problem;
            if (!away)
                terminal.progress(
                        "The control plane is away, still trying: "
                                + Printable.text(problem.message()));
            away = true;
            api.reconnect();
            return Optional.empty();
        }
    }

    /// `PT5M` is shown as `5m`.
    public static String told(Duration duration) {
        return duration.toString().substring(2).toLowerCase(Locale.ROOT);
    }
}
