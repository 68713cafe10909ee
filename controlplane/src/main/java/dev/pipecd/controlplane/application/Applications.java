// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.application;

import com.google.protobuf.ByteString;
import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.access.Caller.Action;
import dev.pipecd.controlplane.access.Caller.Resource;
import dev.pipecd.controlplane.access.Ownership;
import dev.pipecd.controlplane.command.Commands;
import dev.pipecd.controlplane.paging.Cursor;
import dev.pipecd.controlplane.paging.Page;
import dev.pipecd.controlplane.paging.SharedAnswers;
import dev.pipecd.controlplane.piped.Pipeds;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.CommandId;
import dev.pipecd.domain.IdSource;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.SyncStrategy;
import java.util.List;
import java.util.function.Consumer;

/// Applications as people see them: registered, listed, synced.
public final class Applications {
    private static final int LARGEST_PAGE = 1_000;

    private final ApplicationStore store;
    private final Pipeds pipeds;
    private final Commands commands;
    private final IdSource ids;
    private final SharedAnswers<ApplicationFilter, List<ByteString>> whole = new SharedAnswers<>();

    public Applications(ApplicationStore store, Pipeds pipeds, Commands commands, IdSource ids) {
        this.store = store;
        this.pipeds = pipeds;
        this.commands = commands;
        this.ids = ids;
    }

    /// All that match, newest first, since the public message of the web UI has no pages; in the
    /// form they travel in, which takes a quarter of the memory. Returns when `taker` is done.
    public void all(Caller caller, ApplicationFilter filter, Consumer<List<ByteString>> taker) {
        var seen = seen(caller, filter);
        var some = store.wire(seen, LARGEST_PAGE + 1);
        if (some.size() <= LARGEST_PAGE) taker.accept(some);
        else whole.with(seen, () -> store.wire(seen, Integer.MAX_VALUE), taker);
    }

    public Page<Application> page(Caller caller, ApplicationFilter filter, Cursor after, int size) {
        var seen = seen(caller, filter);
        return Page.read(
                size <= 0 ? LARGEST_PAGE : size,
                after,
                a -> new Cursor(a.getUpdatedAt(), a.getId()),
                (behind, limit) -> store.list(seen, behind, limit));
    }

    private static ApplicationFilter seen(Caller caller, ApplicationFilter filter) {
        caller.requireSome(Resource.APPLICATION, Action.LIST);
        if (!filter.project().equals(caller.project()))
            throw new IllegalArgumentException("filter: of another project than the caller");
        return filter.seenBy(caller);
    }

    public Application get(Caller caller, ApplicationId id) {
        return allowed(caller, Action.GET, id);
    }

    private Application allowed(Caller caller, Action action, ApplicationId id) {
        caller.requireSome(Resource.APPLICATION, action);
        var found = store.find(id).orElseThrow(() -> Ownership.notFound("application", id.value()));
        requireAllowed(caller, action, found);
        return found;
    }

    static void requireAllowed(Caller caller, Action action, Application application) {
        var thing =
                new Ownership.Thing(
                        application.getProjectId(),
                        application.getLabelsMap(),
                        "application",
                        application.getId());
        Ownership.allowed(caller, thing, Resource.APPLICATION, action);
    }

    /// What is deleted stays as it was, whoever tells of it.
    static void requireLiving(Application application) {
        if (application.getDeleted())
            throw new Problem(
                    Problem.Code.REQUEST_INVALID,
                    "application: %s is deleted (expected: one that is not)"
                            .formatted(application.getId()),
                    "Register it again.");
    }

    /// Registers what `draft` describes: name, agent, place in Git, targets, labels.
    @SuppressWarnings("deprecation") // old agents read the provider under its first name too
    public ApplicationId add(Caller caller, Application draft) {
        caller.require(Resource.APPLICATION, Action.CREATE, draft.getLabelsMap());
        var piped = pipeds.ofProject(caller.project(), new PipedId(draft.getPipedId()));
        var path = Paths.within(draft.getGitPath().getPath());
        var fileName = Paths.fileName(draft.getGitPath().getConfigFilename());
        var repository = Paths.repository(piped, draft.getGitPath().getRepo().getId());
        var id = new ApplicationId(ids.next());
        var application =
                draft.toBuilder()
                        .setId(id.value())
                        .setProjectId(caller.project().value())
                        .setCloudProvider(draft.getPlatformProvider())
                        .setGitPath(
                                draft.getGitPath().toBuilder()
                                        .setRepo(repository)
                                        .setPath(path)
                                        .setConfigFilename(fileName)
                                        .setUrl(Paths.url(repository, path)))
                        .build();
        store.add(application, caller.name())
                .ifPresent(twin -> {
                    throw exists(twin);
                });
        return id;
    }

    /// One file of one agent is one application: two would deploy over each other.
    static Problem exists(Application twin) {
        return new Problem(
                Problem.Code.ALREADY_EXISTS,
                "application: %s stands for %s of %s already (expected: one each)"
                        .formatted(
                                twin.getId(),
                                twin.getGitPath().getPath(),
                                twin.getGitPath().getRepo().getId()),
                "Use application " + twin.getId() + " (" + twin.getName() + ").");
    }

    public CommandId sync(Caller caller, ApplicationId id, SyncStrategy strategy) {
        var application = allowed(caller, Action.UPDATE, id);
        if (application.getDisabled())
            throw new Problem(
                    Problem.Code.PRECONDITION_FAILED,
                    "application: %s is disabled (expected: enabled)"
                            .formatted(application.getName()),
                    "Enable it first: its agent does not look at it.");
        return commands.give(
                caller,
                Command.newBuilder()
                        .setType(Command.Type.SYNC_APPLICATION)
                        .setPipedId(application.getPipedId())
                        .setApplicationId(id.value())
                        .setSyncApplication(
                                Command.SyncApplication.newBuilder()
                                        .setApplicationId(id.value())
                                        .setSyncStrategy(strategy)));
    }
}
