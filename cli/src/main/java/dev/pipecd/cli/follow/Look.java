// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.follow;

import dev.pipecd.cli.connect.ApiConnection;
import dev.pipecd.cli.show.Printable;
import dev.pipecd.cli.show.Terminal;
import dev.pipecd.domain.Problem;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/// One look among many: a control plane that restarts meanwhile, or whose store does, is waited
/// for, not an error. The public one says of its database only that it has failed.
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
            var news = news(problem);
            if (!away) terminal.progress(news + Printable.text(problem.message()));
            away = true;
            api.reconnect();
            return Optional.empty();
        }
    }

    /// Only of what may pass by itself.
    private static String news(Problem problem) {
        return switch (problem.code()) {
            case CONTROL_PLANE_UNREACHABLE -> "The control plane is away, still trying: ";
            case STORE_UNAVAILABLE, INTERNAL -> "Still trying: ";
            default -> throw problem;
        };
    }

    /// `PT5M` is shown as `5m`.
    public static String told(Duration duration) {
        return duration.toString().substring(2).toLowerCase(Locale.ROOT);
    }
}
