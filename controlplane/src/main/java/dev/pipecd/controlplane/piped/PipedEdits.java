// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.piped;

import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.access.Caller.Action;
import dev.pipecd.controlplane.access.Caller.Resource;
import dev.pipecd.controlplane.command.Commands;
import dev.pipecd.domain.CommandId;
import dev.pipecd.domain.PipedId;
import dev.pipecd.wire.model.Command;
import java.util.List;

/// Agents as people change them: renamed, told which version to run, restarted.
public final class PipedEdits {
    private final Pipeds pipeds;
    private final Commands commands;

    public PipedEdits(Pipeds pipeds, Commands commands) {
        this.pipeds = pipeds;
        this.commands = commands;
    }

    public void rename(Caller caller, PipedId id, String name, String description) {
        caller.require(Resource.PIPED, Action.UPDATE);
        pipeds.update(
                caller,
                id,
                "renamed",
                piped -> piped.toBuilder().setName(name).setDesc(description).build());
    }

    /// Their launchers ask for it. Every agent is checked before the first change.
    public void desire(Caller caller, List<PipedId> ids, String version) {
        caller.require(Resource.PIPED, Action.UPDATE);
        ids.forEach(id -> pipeds.ofProject(caller.project(), id));
        for (var id : ids)
            pipeds.update(
                    caller,
                    id,
                    "shall run " + version,
                    piped -> piped.toBuilder().setDesiredVersion(version).build());
    }

    public CommandId restart(Caller caller, PipedId id) {
        caller.require(Resource.PIPED, Action.UPDATE);
        var piped = pipeds.ofProject(caller.project(), id);
        return commands.give(
                caller,
                Command.newBuilder()
                        .setType(Command.Type.RESTART_PIPED)
                        .setPipedId(piped.getId())
                        .setRestartPiped(
                                Command.RestartPiped.newBuilder().setPipedId(piped.getId())));
    }
}
