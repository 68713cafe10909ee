// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.follow;

import dev.pipecd.cli.connect.ApiConnection;
import dev.pipecd.cli.show.LiveView;
import dev.pipecd.cli.show.Printable;
import dev.pipecd.cli.show.Terminal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Shows deployments while they run: in a terminal as a view that is redrawn, elsewhere as a line a
/// change; what their stages write scrolls by if asked for.
public final class Following {
    private final Terminal terminal;
    private final boolean logs;
    private final boolean live;
    private final LiveView view;
    private final Look look;

    /// By itself: logs may be away while deployments can be looked at.
    private final Look logLook;

    private final Map<Track, LogTail> tails = new HashMap<>();

    public Following(ApiConnection api, Terminal terminal, boolean logs) {
        this.terminal = terminal;
        this.logs = logs;
        this.live = terminal.live();
        this.view = new LiveView(terminal.err());
        this.look = new Look(api, terminal);
        this.logLook = new Look(api, terminal);
    }

    /// Until all have ended or the time is up.
    public void toTheEnd(List<Track> tracks, Patience patience) throws InterruptedException {
        do {
            if (round(tracks)) patience.somethingChanged();
            if (tracks.stream().allMatch(Track::over)) return;
        } while (patience.pause());
    }

    /// Something else that happened meanwhile.
    public void tell(String line) {
        if (live) view.clear();
        terminal.progress(line);
    }

    /// Looks once at each that is not over; true when something has changed.
    public boolean round(List<Track> tracks) {
        var changes = new ArrayList<String>();
        var written = new ArrayList<String>();
        for (var track : tracks) {
            if (track.over() || look.at(track::look).isEmpty()) continue;
            changes.addAll(track.news());
            // After the deployment: what is written after its end is then still seen.
            if (logs) written.addAll(newLines(track, tracks.size() > 1));
        }
        if (live) view.clear();
        else changes.forEach(terminal::progress);
        written.forEach(terminal.out()::println);
        terminal.out().flush();
        if (live) view.draw(views(tracks));
        return !changes.isEmpty() || !written.isEmpty();
    }

    private List<String> newLines(Track track, boolean amongOthers) {
        var deployment = track.deployment();
        var name = amongOthers ? Printable.text(deployment.getApplicationName()) + ": " : "";
        var tail = tails.computeIfAbsent(track, _ -> new LogTail(name));
        return logLook.at(api -> tail.news(api, deployment)).orElse(List.of());
    }

    private List<String> views(List<Track> tracks) {
        var now = terminal.time().instant();
        return tracks.stream().flatMap(track -> track.view(now).stream()).toList();
    }
}
