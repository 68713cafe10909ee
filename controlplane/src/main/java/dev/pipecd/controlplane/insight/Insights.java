// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.insight;

import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.access.Caller.Action;
import dev.pipecd.controlplane.access.Caller.Resource;
import dev.pipecd.controlplane.insight.Day.Sums;
import dev.pipecd.controlplane.insight.InsightStore.ApplicationCount;
import dev.pipecd.domain.Problem;
import java.time.LocalDate;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;

/// The four keys of a project, an application or whatever carries some labels.
public final class Insights {
    private static final long LONGEST_YEARS = 2;

    private final InsightStore store;

    public Insights(InsightStore store) {
        this.store = store;
    }

    /// One point a step from the first to the last, also for those in which nothing happened.
    public List<Point> points(Caller caller, Figure figure, Step step, Question question) {
        caller.require(Resource.INSIGHT, Action.GET, question.labels());
        if (!question.project().equals(caller.project()))
            throw new IllegalArgumentException("question: of another project than the caller");
        if (question.last().isBefore(question.first())
                || question.last().isAfter(question.first().plusYears(LONGEST_YEARS).plusDays(1)))
            throw new Problem(
                    Problem.Code.REQUEST_INVALID,
                    "range: %s to %s (expected: forward, at most %d years)"
                            .formatted(question.first(), question.last(), LONGEST_YEARS),
                    "Ask for less at once.");
        var sums = new HashMap<LocalDate, Sums>();
        for (var day : store.days(question))
            sums.merge(step.begin(day.date()), day.sums(), Sums::plus);
        var points = new ArrayList<Point>();
        for (var at = step.begin(question.first());
                !at.isAfter(question.last());
                at = step.next(at))
            points.add(new Point(at, figure.of(sums.getOrDefault(at, Sums.NONE))));
        return points;
    }

    /// Registered applications by kind and whether they are enabled.
    public List<ApplicationCount> applications(Caller caller) {
        caller.require(Resource.INSIGHT, Action.GET);
        return store.applications(caller.project());
    }

    /// @param at the first day of the step
    public record Point(LocalDate at, double value) {}

    public enum Step {
        DAY,
        MONTH;

        LocalDate begin(LocalDate day) {
            return this == DAY ? day : day.withDayOfMonth(1);
        }

        LocalDate next(LocalDate begin) {
            return begin.plus(1, this == DAY ? ChronoUnit.DAYS : ChronoUnit.MONTHS);
        }
    }

    /// What is counted. Means of what happened in the step, in seconds where they are times.
    public enum Figure {
        DEPLOYMENT_FREQUENCY,
        CHANGE_FAILURE_RATE,
        LEAD_TIME,
        TIME_TO_RESTORE;

        double of(Sums sums) {
            return switch (this) {
                case DEPLOYMENT_FREQUENCY -> sums.completed();
                case CHANGE_FAILURE_RATE ->
                        sums.completed() == 0 ? 0 : (double) sums.failed() / sums.completed();
                case LEAD_TIME -> sums.lead().mean();
                case TIME_TO_RESTORE -> sums.restore().mean();
            };
        }
    }
}
