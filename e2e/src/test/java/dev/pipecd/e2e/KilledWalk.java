// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.e2e;

import static dev.pipecd.wire.model.StageStatus.STAGE_RUNNING;
import static dev.pipecd.wire.model.StageStatus.STAGE_SUCCESS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.e2e.Person.Rollback;
import dev.pipecd.wire.model.Deployment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// One deployment of its own application that sees one kill.
final class KilledWalk {
    private static final int LINES = 15;
    private static final int FIRST = 0;
    private static final int WAIT = 1;
    private static final int APPROVAL = 2;
    private static final int SECOND = 3;
    private static final int UNDO = 4;

    private final Installation at;
    private final Moment moment;
    private final App app;
    private boolean approved;
    private Deployment seen = Deployment.getDefaultInstance();
    private List<List<String>> shown = List.of();
    private Deployment ended = Deployment.getDefaultInstance();

    KilledWalk(Installation at, String victim, Moment moment) {
        this.at = at;
        this.moment = moment;
        var name = victim + "-" + moment.name().toLowerCase(Locale.ROOT).replace('_', '-');
        var lasting = moment.course() == Moment.Course.IS_CANCELLED ? 3000 : LINES;
        var end = moment.course() == Moment.Course.FAILS ? "\nexit 1" : "";
        var undo = script(name, "undo", LINES);
        this.app =
                at.add(
                        name,
                        Sample.pipeline()
                                .script(script(name, "first", LINES), undo)
                                .waiting("1s")
                                .approval(1, Installation.USER)
                                .script(script(name, "second", lasting) + end));
    }

    /// It leaves a mark, says numbered lines, ten a second, and leaves another mark.
    private String script(String name, String script, int lines) {
        var hold = moment.hold();
        return """
        echo '%s' >>'%s'
        i=0
        while true; do
            [ $i != %d ] || until [ -e '%s' ]; do sleep 0.1; done
            [ $i -lt %d ] || break
            i=$((i+1))
            echo "%s line $i"
            sleep 0.1
        done
        echo '%s end' >>'%s'\
        """
                .formatted(
                        script,
                        App.marks(at, name),
                        hold.script().equals(script) ? hold.line() : -1,
                        gate(name),
                        lines,
                        script,
                        script,
                        App.marks(at, name));
    }

    private Path gate(String name) {
        return at.dir().resolve("gate-" + name);
    }

    void reach() {
        seen = reach(app.first());
        shown = logs(seen);
    }

    /// What held still does so no more.
    void goOn() {
        at.write("gate-" + app.name(), "");
    }

    void approveUnlessDone() {
        if (!approved) approve(seen);
    }

    void awaitEnd() {
        ended = app.awaitEnd(seen);
    }

    void endedAsIfNothingHadHappened() {
        assertThat(App.told(ended)).as(ended.getStatusReason()).isEqualTo(expectedEnd());
        assertThat(app.marks()).isEqualTo(expectedMarks());
        assertThat(at.person().deployments(app.id())).hasSize(1);
        startedOnce();
        nothingShownIsGone(settledLogs());
    }

    private Deployment reach(Deployment created) {
        return switch (moment) {
            case CREATED -> created;
            case PLANNED -> app.await(created, "a plan", d -> d.getStagesCount() > 0);
            case FIRST_STARTED -> marked(created, "first");
            case FIRST_SPEAKING -> speaking(created, FIRST, "first");
            case FIRST_SAID_ALL -> marked(created, "first end");
            case FIRST_ENDED -> app.awaitStage(created, FIRST, STAGE_SUCCESS);
            case WAITING -> app.awaitStage(created, WAIT, STAGE_RUNNING);
            case ASKING, APPROVED_WHILE_AWAY -> app.awaitStage(created, APPROVAL, STAGE_RUNNING);
            case APPROVED -> approve(created);
            case SECOND_STARTED, CANCELLED_WHILE_AWAY -> marked(approve(created), "second");
            case SECOND_SPEAKING -> speaking(approve(created), SECOND, "second");
            case UNDO_STARTED -> marked(approve(created), "undo");
            case UNDO_SPEAKING -> speaking(approve(created), UNDO, "undo");
            case CANCELLED -> cancel(marked(approve(created), "second"));
            case COMPLETED -> app.awaitEnd(approve(created));
        };
    }

    void orderWhileAway() {
        if (moment == Moment.APPROVED_WHILE_AWAY) approve(app.first());
        if (moment == Moment.CANCELLED_WHILE_AWAY) cancel(app.first());
    }

    private Deployment marked(Deployment deployment, String mark) {
        app.awaitMark(mark);
        return at.person().deployment(deployment.getId());
    }

    private Deployment speaking(Deployment deployment, int stage, String script) {
        var planned = app.await(deployment, "a plan", d -> d.getStagesCount() > stage);
        at.await(
                "the fifth line of " + script,
                () ->
                        app.log(planned, stage).contains(script + " line 5")
                                ? Optional.of(true)
                                : Optional.empty());
        return at.person().deployment(deployment.getId());
    }

    private Deployment approve(Deployment deployment) {
        var asking = app.awaitStage(deployment, APPROVAL, STAGE_RUNNING);
        at.person().approve(asking, APPROVAL);
        approved = true;
        return asking;
    }

    private Deployment cancel(Deployment deployment) {
        at.person().cancel(deployment, Rollback.AS_PLANNED);
        return deployment;
    }

    private String expectedEnd() {
        return switch (moment.course()) {
            case SUCCEEDS -> "DEPLOYMENT_SUCCESS Succeeded";
            case FAILS -> "DEPLOYMENT_FAILURE RolledBack";
            case IS_CANCELLED -> "DEPLOYMENT_CANCELLED RolledBack";
        };
    }

    private List<String> expectedMarks() {
        return switch (moment.course()) {
            case SUCCEEDS -> List.of("first", "first end", "second", "second end");
            case FAILS -> List.of("first", "first end", "second", "second end", "undo", "undo end");
            case IS_CANCELLED -> List.of("first", "first end", "second", "undo", "undo end");
        };
    }

    /// A WAIT that is taken up again waits only the remainder: its start is the recorded one.
    private void startedOnce() {
        for (var stage = 0; stage < seen.getStagesCount(); stage++) {
            var before = seen.getStages(stage).getMetadataOrDefault("pipecd/started-at", "");
            if (!before.isEmpty())
                assertThat(ended.getStages(stage).getMetadataMap())
                        .containsEntry("pipecd/started-at", before);
        }
    }

    private List<List<String>> logs(Deployment deployment) {
        var logs = new ArrayList<List<String>>();
        for (var stage = 0; stage < deployment.getStagesCount(); stage++)
            logs.add(app.log(deployment, stage));
        return logs;
    }

    /// The last lines may still be under way when the end is told.
    private List<List<String>> settledLogs() {
        var last = moment.course() == Moment.Course.SUCCEEDS ? SECOND : UNDO;
        var script = moment.course() == Moment.Course.SUCCEEDS ? "second" : "undo";
        at.await(
                "the last line of " + app.name(),
                () ->
                        app.log(ended, last).contains(script + " line " + LINES)
                                ? Optional.of(true)
                                : Optional.empty());
        return logs(ended);
    }

    private void nothingShownIsGone(List<List<String>> logs) {
        for (var stage = 0; stage < logs.size(); stage++) {
            assertThat(logs.get(stage)).as("log of stage %d", stage).doesNotHaveDuplicates();
            if (stage < shown.size() && !shown.get(stage).isEmpty())
                assertThat(logs.get(stage)).containsSubsequence(shown.get(stage));
        }
        assertThat(said(logs, FIRST, "first")).isEqualTo(App.lines("first", LINES));
        var second = said(logs, SECOND, "second");
        var whole = moment.course() != Moment.Course.IS_CANCELLED;
        assertThat(second).isEqualTo(App.lines("second", whole ? LINES : second.size()));
        if (moment.course() != Moment.Course.SUCCEEDS)
            assertThat(said(logs, UNDO, "undo")).isEqualTo(App.lines("undo", LINES));
    }

    private static List<String> said(List<List<String>> logs, int stage, String script) {
        return logs.get(stage).stream().filter(l -> l.startsWith(script + " line ")).toList();
    }
}
