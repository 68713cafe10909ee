// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.agent.process.ProcessGroup;
import org.junit.jupiter.api.Test;

class ComplaintTest {
    /// Git itself may well be there.
    @Test
    void whatStartsEveryProgramIsNotTakenForGit() {
        assertThat(Complaint.noProgram(ProcessGroup.STARTER))
                .isEqualTo(
                        new Complaint(
                                "there is no program \"setsid\"",
                                "setsid on the agent's PATH",
                                "Install util-linux, which has it, where the agent runs; it tries again by itself."));
        assertThat(Complaint.noProgram("git"))
                .isEqualTo(
                        new Complaint(
                                "there is no program \"git\"",
                                "git on the agent's PATH",
                                "Install git where the agent runs; it tries again by itself."));
    }
}
