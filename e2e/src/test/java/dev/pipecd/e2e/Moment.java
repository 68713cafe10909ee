// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.e2e;

import java.util.List;

/// What has been seen when the victim is killed.
enum Moment {
    CREATED("the deployment is created"),
    PLANNED("its stages are planned"),
    FIRST_STARTED("the first script has left its mark"),
    FIRST_SPEAKING("the control plane shows the fifth line of the first script"),
    FIRST_SAID_ALL("the first script has left its last mark"),
    FIRST_ENDED("the first stage has succeeded"),
    WAITING("the WAIT stage is running"),
    ASKING("the approval is waited for"),
    APPROVED("the approval has been given"),
    APPROVED_WHILE_AWAY("the approval is waited for and given while nobody is there"),
    SECOND_STARTED("the second script has left its mark"),
    SECOND_SPEAKING("the control plane shows the fifth line of the second script"),
    UNDO_STARTED("the rollback's script has left its mark"),
    UNDO_SPEAKING("the control plane shows the fifth line of the rollback's script"),
    CANCELLED("a cancel has been ordered"),
    CANCELLED_WHILE_AWAY("the second script is running and cancelled while nobody is there"),
    COMPLETED("the deployment has just ended");

    /// Those that one kill is for, each in a deployment of its own. All but the last hold still
    /// until then.
    private static final List<List<Moment>> TOGETHER =
            List.of(
                    List.of(ASKING, CREATED),
                    List.of(APPROVED_WHILE_AWAY, PLANNED),
                    List.of(SECOND_STARTED, FIRST_SAID_ALL),
                    List.of(UNDO_SPEAKING, FIRST_ENDED),
                    List.of(COMPLETED, WAITING),
                    List.of(FIRST_SPEAKING, APPROVED),
                    List.of(CANCELLED_WHILE_AWAY, UNDO_STARTED));

    private final String seen;

    Moment(String seen) {
        this.seen = seen;
    }

    @Override
    public String toString() {
        return seen;
    }

    /// In the order they are to be reached.
    List<Moment> together() {
        return TOGETHER.stream().filter(t -> t.contains(this)).findFirst().orElse(List.of(this));
    }

    /// Only an agent is away for long enough.
    boolean needsNobody() {
        return this == APPROVED_WHILE_AWAY || this == CANCELLED_WHILE_AWAY;
    }

    Course course() {
        return switch (this) {
            case UNDO_STARTED, UNDO_SPEAKING -> Course.FAILS;
            case CANCELLED, CANCELLED_WHILE_AWAY -> Course.IS_CANCELLED;
            case CREATED,
                    PLANNED,
                    FIRST_STARTED,
                    FIRST_SPEAKING,
                    FIRST_SAID_ALL,
                    FIRST_ENDED,
                    WAITING,
                    ASKING,
                    APPROVED,
                    APPROVED_WHILE_AWAY,
                    SECOND_STARTED,
                    SECOND_SPEAKING,
                    COMPLETED ->
                    Course.SUCCEEDS;
        };
    }

    /// Where a script holds still until the kill; no other waits for anything.
    Hold hold() {
        return switch (this) {
            case FIRST_STARTED -> new Hold("first", 0);
            case FIRST_SPEAKING -> new Hold("first", Hold.SPOKEN);
            case SECOND_STARTED -> new Hold("second", 0);
            case SECOND_SPEAKING -> new Hold("second", Hold.SPOKEN);
            case UNDO_STARTED -> new Hold("undo", 0);
            case UNDO_SPEAKING -> new Hold("undo", Hold.SPOKEN);
            case CREATED,
                    PLANNED,
                    FIRST_SAID_ALL,
                    FIRST_ENDED,
                    WAITING,
                    ASKING,
                    APPROVED,
                    APPROVED_WHILE_AWAY,
                    CANCELLED,
                    CANCELLED_WHILE_AWAY,
                    COMPLETED ->
                    new Hold("none", 0);
        };
    }

    /// @param line the last that it says before
    record Hold(String script, int line) {
        /// Behind the fifth, which is waited for.
        private static final int SPOKEN = 8;
    }

    /// How the deployment goes, killed or not.
    enum Course {
        SUCCEEDS,
        FAILS,
        IS_CANCELLED
    }
}
