// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.follow;

import dev.pipecd.cli.connect.ApiConnection;
import dev.pipecd.cli.show.LiveView;
import dev.pipecd.cli.show.Printable;
import dev.pipecd.cli.show.Terminal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Shows deployments while they run: in a terminal as a view that is redrawn, elsewhere as a line a
/// change; what their stages write scrolls by if asked for.
public final class Following {
    /// How long the logs of what has ended are tried for: what cannot be read for so long most
    /// likely never can.
    private static final Duration LOG_LIMIT = Duration.ofMinutes(5);

    private final Terminal terminal;
    private final boolean logs;
    private final boolean live;

    /// Where a terminal is: who writes progress into a file wants no codes in it.
    private final LiveView view;

    private final Look look;

    /// By itself: logs may be away while deployments can be looked at.
    private final Look logLook;

    private final Map<Track, LogTail> tails = new HashMap<>();
    private final Map<Track, Instant> endSeen = new HashMap<>();
    private final Set<Track> logsShown = new HashSet<>();

    public Following(ApiConnection api, Terminal terminal, boolean logs) {
        this.terminal = terminal;
        this.logs = logs;
        this.live = terminal.live();
        this.view = new LiveView(terminal.out());
        this.look = new Look(api, terminal);
        this.logLook = new Look(api, terminal);
    }

    /// Until all have ended or the time is up.
    public void toTheEnd(List<Track> tracks, Patience patience) throws InterruptedException {
        do {
            if (round(tracks)) patience.somethingChanged();
            if (tracks.stream().allMatch(this::over)) return;
        } while (patience.pause());
    }

    /// Whether nothing more is to be seen of it: it has ended, and its logs were read after that.
    public boolean over(Track track) {
        return track.over() && (!lacksLogs(track) || triedLong(track));
    }

    private boolean triedLong(Track track) {
        var now = terminal.time().instant();
        return !now.isBefore(endSeen.getOrDefault(track, now).plus(LOG_LIMIT));
    }

    /// Tells how each has ended and whose logs are not whole, and gives the exit code.
    public int told(List<Track> tracks, Duration limit) {
        var code = Outcome.told(tracks, limit, terminal);
        for (var track : tracks)
            if (lacksLogs(track)) code = Outcome.worse(code, Outcome.withoutLogs(track, terminal));
        return code;
    }

    /// Whether the logs of those that have ended were all shown.
    public boolean logsWhole(List<Track> tracks) {
        return tracks.stream().noneMatch(this::lacksLogs);
    }

    private boolean lacksLogs(Track track) {
        return logs && track.over() && !logsShown.contains(track);
    }

    /// Something else that happened meanwhile.
    public void tell(String line) {
        if (live) view.clear();
        terminal.progress(line);
    }

    /// Looks once at each of which more is to be seen; true when something has changed.
    public boolean round(List<Track> tracks) {
        var changes = new ArrayList<String>();
        var written = new ArrayList<String>();
        for (var track : tracks) {
            if (over(track)) continue;
            if (!track.over()) {
                if (look.at(track::look).isEmpty()) continue;
                changes.addAll(track.news());
            }
            // After the deployment: what is written after its end is then still seen.
            if (logs) readLogs(track, tracks.size() > 1, written);
        }
        if (live) view.clear();
        else changes.forEach(terminal::progress);
        written.forEach(terminal.out()::println);
        terminal.out().flush();
        if (live) view.draw(views(tracks));
        return !changes.isEmpty() || !written.isEmpty();
    }

    private void readLogs(Track track, boolean amongOthers, List<String> written) {
        var deployment = track.deployment();
        var name = amongOthers ? Printable.text(deployment.getApplicationName()) + ": " : "";
        var tail = tails.computeIfAbsent(track, _ -> new LogTail(name));
        if (track.over()) endSeen.putIfAbsent(track, terminal.time().instant());
        var whole =
                logLook.at(api -> {
                    tail.read(api, deployment, written);
                    return track.over();
                });
        if (whole.orElse(false)) logsShown.add(track);
    }

    private List<String> views(List<Track> tracks) {
        var now = terminal.time().instant();
        return tracks.stream().flatMap(track -> track.view(now).stream()).toList();
    }
}
