// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugins.approval;

import dev.pipecd.plugin.stage.Otherwise;
import dev.pipecd.plugin.stage.Reads;
import dev.pipecd.plugin.stage.Stage;
import dev.pipecd.plugin.stage.StageCommand;
import dev.pipecd.plugin.stage.StageOutcome;
import dev.pipecd.plugin.stage.StagePlugin;
import dev.pipecd.plugin.stage.StageRun;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// WAIT_APPROVAL: holds the pipeline until enough of the people named have said go. An empty list,
/// written as such, names everybody whom the control plane lets approve.
public final class ApprovalStage {
    private static final String APPROVED = "pipecd/stage-approved-users";
    private static final String SHOWN = "pipecd/stage-display-metadata";
    private static final String SEPARATOR = ", ";

    private ApprovalStage() {}

    public record Options(List<String> approvers, @Otherwise("1") int minApproverNum) {
        boolean names(String person) {
            return approvers.isEmpty() ? !person.isEmpty() : approvers.contains(person);
        }

        String told() {
            return approvers.isEmpty()
                    ? "those who may approve in this project"
                    : ApprovalStage.names(approvers);
        }

        public Options {
            approvers = approvers.stream().distinct().toList();
            if (approvers.contains(""))
                throw new IllegalArgumentException(
                        "approvers: " + approvers + " (expected: no empty name)");
            if (minApproverNum < 1)
                throw new IllegalArgumentException(
                        "minApproverNum: %d (expected: 1 or more)".formatted(minApproverNum));
            if (!approvers.isEmpty() && minApproverNum > approvers.size())
                throw new IllegalArgumentException(
                        "minApproverNum: %d (expected: 1 to %d, the number of approvers)"
                                .formatted(minApproverNum, approvers.size()));
        }
    }

    public static StagePlugin plugin() {
        return StagePlugin.named("waitapproval", stage());
    }

    public static Stage<Options> stage() {
        return Stage.of("WAIT_APPROVAL", Options.class, ApprovalStage::run)
                .approvedBy(Options::approvers)
                .reading(Reads.NOTHING);
    }

    static StageOutcome run(StageRun<Options> run) throws InterruptedException {
        var needed = run.options().minApproverNum();
        run.log("Waiting for approval by %d of %s".formatted(needed, run.options().told()));
        var approved = recorded(run);
        // Told in the order they were recorded: after a restart they are the same lines.
        int count = 0;
        for (var person : approved) run.log(told(person, ++count, needed));
        while (approved.size() < needed) {
            var command = run.awaitCommand();
            if (!counts(command, run.options(), approved)) continue;
            approved.add(command.person());
            record(run, approved);
            run.log(told(command.person(), approved.size(), needed));
        }
        run.success("Approved by " + names(approved));
        return new StageOutcome.Succeeded();
    }

    private static boolean counts(StageCommand command, Options options, Set<String> approved) {
        return command.order() == StageCommand.Order.APPROVE
                && options.names(command.person())
                && !approved.contains(command.person());
    }

    private static String told(String person, int count, int needed) {
        return "%s approved (%d of %d)".formatted(person, count, needed);
    }

    private static Set<String> recorded(StageRun<Options> run) throws InterruptedException {
        var people = new LinkedHashSet<String>();
        var before = run.metadata(APPROVED).orElse("");
        Arrays.stream(before.split(SEPARATOR, -1))
                .filter(run.options()::names)
                .forEach(people::add);
        return people;
    }

    private static void record(StageRun<Options> run, Set<String> approved)
            throws InterruptedException {
        run.putMetadata(Map.of(APPROVED, names(approved), SHOWN, "Approved by " + names(approved)));
    }

    private static String names(Iterable<String> people) {
        return String.join(SEPARATOR, people);
    }
}
