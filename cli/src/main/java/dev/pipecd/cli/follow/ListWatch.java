// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.follow;

import dev.pipecd.cli.connect.ApiConnection;
import dev.pipecd.cli.show.LiveView;
import dev.pipecd.cli.show.Table;
import dev.pipecd.cli.show.Terminal;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/// A list that is looked at until somebody stops it: redrawn in a terminal, elsewhere each row
/// again when it has changed.
public final class ListWatch {
    private static final Duration INTERVAL = Duration.ofSeconds(2);

    private final ApiConnection api;
    private final Terminal terminal;
    private final Set<List<String>> told = new HashSet<>();

    public ListWatch(ApiConnection api, Terminal terminal) {
        this.api = api;
        this.terminal = terminal;
    }

    public void run(Function<ApiConnection, Table> once) throws InterruptedException {
        var look = new Look(api, terminal);
        var view = new LiveView(terminal.out());
        var live = terminal.live();
        while (true) {
            look.at(once)
                    .ifPresent(table -> {
                        if (live) view.draw(table.lines());
                        else tellChanges(table);
                    });
            terminal.sleeper().sleep(INTERVAL);
        }
    }

    private void tellChanges(Table table) {
        var news = table.rows().stream().filter(row -> !told.contains(row)).toList();
        var first = told.isEmpty();
        told.clear();
        told.addAll(table.rows());
        if (news.isEmpty()) return;
        var lines = new Table(table.headings(), news).lines();
        lines.stream().skip(first ? 0 : 1).forEach(terminal.out()::println);
        terminal.out().flush();
    }
}
