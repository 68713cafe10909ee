// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.e2e;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The configuration of a small application, stage by stage.
record Sample(List<String> stages, boolean autoRollback) {
    static Sample pipeline() {
        return new Sample(List.of(), true);
    }

    Sample script(String run) {
        return with("- name: SCRIPT_RUN\n  with:\n    run: |\n" + block(run));
    }

    Sample script(String run, String onRollback) {
        return with(
                "- name: SCRIPT_RUN\n  with:\n    run: |\n"
                        + block(run)
                        + "\n    onRollback: |\n"
                        + block(onRollback));
    }

    Sample waiting(String duration) {
        return with("- name: WAIT\n  with:\n    duration: " + duration);
    }

    Sample approval(int enough, String... approvers) {
        return with(
                "- name: WAIT_APPROVAL\n  with:\n    minApproverNum: %d\n    approvers: [%s]"
                        .formatted(enough, String.join(", ", approvers)));
    }

    Sample with(String stage) {
        return new Sample(Stream.concat(stages.stream(), Stream.of(stage)).toList(), autoRollback);
    }

    Sample withoutAutoRollback() {
        return new Sample(stages, false);
    }

    String yaml(String name) {
        return """
        apiVersion: pipecd.dev/v1beta1
        kind: Application
        spec:
          name: %s
          planner:
            alwaysUsePipeline: true
            autoRollback: %s
          pipeline:
            stages:
        %s
        """
                .formatted(
                        name,
                        autoRollback,
                        stages.stream()
                                .map(stage -> stage.indent(6).stripTrailing())
                                .collect(Collectors.joining("\n")));
    }

    private static String block(String text) {
        return text.strip().indent(6).stripTrailing();
    }
}
