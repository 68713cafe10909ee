// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.release;

import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.access.Caller.Action;
import dev.pipecd.controlplane.access.Caller.Resource;
import dev.pipecd.controlplane.access.Ownership;
import dev.pipecd.controlplane.piped.Pipeds;
import dev.pipecd.controlplane.release.ReleaseSource.Release;
import dev.pipecd.wire.model.Piped;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// What people are offered when they choose a version for their agents.
public final class Releases {
    private static final Pattern BREAKING =
            Pattern.compile("(?ims)^#+ *breaking changes *$(.*?)(?=^#+ |\\z)");

    private final ReleaseSource source;
    private final Pipeds pipeds;

    public Releases(ReleaseSource source, Pipeds pipeds) {
        this.source = source;
        this.pipeds = pipeds;
    }

    /// Newest first. Those that agents run are always among them, so that a server without a way
    /// out still has something to offer.
    public List<String> versions(Caller caller) {
        caller.require(Resource.PIPED, Action.LIST);
        return Stream.concat(source.published().stream().map(Release::version), running(caller))
                .distinct()
                .sorted(Comparator.reverseOrder())
                .map(SemanticVersion::toString)
                .toList();
    }

    /// What breaks between the oldest agent and the newest release, newest first.
    public String deprecatedNotes(Caller caller, String project) {
        caller.require(Resource.PIPED, Action.LIST);
        Ownership.ofProject(caller, project, "project", project);
        return running(caller)
                .min(Comparator.naturalOrder())
                .map(oldest ->
                        source.published().stream()
                                .filter(r -> r.version().compareTo(oldest) > 0)
                                .sorted(Comparator.comparing(Release::version).reversed())
                                .flatMap(r -> breaking(r).stream())
                                .collect(Collectors.joining("\n")))
                .orElse("");
    }

    private Stream<SemanticVersion> running(Caller caller) {
        return pipeds.enabled(caller.project()).stream()
                .map(Piped::getVersion)
                .flatMap(version -> SemanticVersion.parse(version).stream());
    }

    private static Optional<String> breaking(Release release) {
        var found = BREAKING.matcher(release.notes());
        if (!found.find() || found.group(1).isBlank()) return Optional.empty();
        return Optional.of("## %s\n%s\n".formatted(release.version(), found.group(1).strip()));
    }
}
