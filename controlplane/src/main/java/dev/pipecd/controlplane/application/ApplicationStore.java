// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.application;

import com.google.protobuf.ByteString;
import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.controlplane.paging.Cursor;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.Application;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/// Applications as last recorded.
public interface ApplicationStore {
    Optional<Application> find(ApplicationId id);

    /// The enabled ones of an agent.
    Collection<Application> enabled(PipedId piped);

    /// One of those.
    Optional<Application> findEnabled(PipedId piped, ApplicationId id);

    /// Newest first, after the cursor.
    List<Application> list(ApplicationFilter filter, Cursor after, int limit);

    /// Newest first, each as the bytes it travels in: as messages, a whole project would not fit
    /// the memory.
    List<ByteString> wire(ApplicationFilter filter, int limit);

    /// Adds it, or answers the one that already stands for the same file of the same agent.
    Optional<Application> add(Application added, String actor);

    /// Another one that stands for the same file of the same agent.
    Optional<Application> twin(Application application);

    Optional<Application> update(
            ApplicationId id, String actor, Function<Application, Edit<Application>> edit);

    /// The same for an edit that may lead to another file or agent.
    ///
    /// @param taken what is thrown of the one that already stands there
    Optional<Application> place(
            ApplicationId id,
            String actor,
            Function<Application, Edit<Application>> edit,
            Function<Application, Problem> taken);
}
