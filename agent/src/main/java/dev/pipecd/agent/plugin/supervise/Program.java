// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin.supervise;

import dev.pipecd.agent.process.ProcessGroup;
import java.io.IOException;
import java.util.List;

/// A process plugins live in: how it is started, and how one knows that it lives.
public sealed interface Program permits HostProgram, ExternalProgram {
    /// What people call it.
    String title();

    /// Under which name its output stands in the agent's log.
    String logName();

    ProcessFiles files();

    /// Makes everything ready for a start and answers the command; may take long. Throws a
    /// `Problem` when it cannot be started now.
    List<String> prepare() throws IOException, InterruptedException;

    /// Called again and again while the process runs.
    void look(ProcessGroup process, Supervisor supervisor);
}
