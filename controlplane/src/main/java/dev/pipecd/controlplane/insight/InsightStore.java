// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.insight;

import dev.pipecd.controlplane.paging.Cursor;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.ApplicationKind;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import java.util.List;
import java.util.OptionalLong;

/// The figures as far as they are counted, and what they are counted from.
public interface InsightStore {
    Mark mark();

    /// Completed deployments of all projects in the order of their ids, behind `id`.
    List<Deployment> completedBehind(String id, int limit);

    /// What the trail tells of after a place of it.
    News after(long place, int limit);

    /// When the trail came to a place of it, in Unix seconds; empty where nobody writes deployments
    /// without leaving a trail, as a public server does that had the same database for a while.
    OptionalLong reachedAt(long place);

    /// Completed deployments of one status and of all projects that were written at this second or
    /// later, by whomever, in the order of that time, behind `last`.
    List<Deployment> writtenSince(long second, DeploymentStatus status, Cursor last, int limit);

    /// Counts them, each once however often it is told, and moves the mark: both or nothing. In
    /// whatever order deliveries come, the same figures come of it.
    void count(List<Delivery> deliveries, Mark mark);

    /// A step of adding those to the sums of days that were counted before there were any; whether
    /// all are there.
    boolean sumUp(int limit);

    /// Days in order, those without deliveries left out.
    List<Day> days(Question question);

    List<ApplicationCount> applications(ProjectId project);

    /// @param deployments the completed ones among those the trail tells of
    /// @param place up to where the trail was read
    record News(List<Deployment> deployments, long place) {
        public News {
            deployments = List.copyOf(deployments);
        }
    }

    /// @param behind the last deployment of the first reading
    /// @param place of the trail up to which all is counted
    record Mark(State state, String behind, long place) {}

    enum State {
        NEVER_BEGUN,
        FIRST_READING,
        FOLLOWING
    }

    record ApplicationCount(ApplicationKind kind, boolean enabled, int count) {}
}
