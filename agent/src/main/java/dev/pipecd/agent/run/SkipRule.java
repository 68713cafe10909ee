// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.run;

import dev.pipecd.agent.source.ChangedFiles;
import dev.pipecd.agent.source.PathPatterns;
import dev.pipecd.agent.source.Repositories;
import dev.pipecd.config.ApplicationConfig.SkipOn;
import dev.pipecd.domain.RepositoryId;
import dev.pipecd.wire.model.Deployment;
import java.util.Optional;

/// Whether a change does without a stage, as the stage's `skipOn` says: by its message, or because
/// every file it changes is named. What cannot be compared is not skipped.
record SkipRule(SkipOn skipOn, Repositories repositories) {
    /// Why it is skipped; empty when it is not.
    Optional<String> reason(Deployment deployment) {
        var byMessage = byMessage(deployment.getTrigger().getCommit().getMessage());
        return byMessage.isPresent() ? byMessage : byPaths(deployment);
    }

    private Optional<String> byMessage(String message) {
        var subject = message.lines().findFirst().orElse("");
        return skipOn.commitMessagePrefixes().stream()
                .filter(prefix -> !prefix.isEmpty() && subject.startsWith(prefix))
                .findFirst()
                .map("skipped: the commit message begins with \"%s\""::formatted);
    }

    private Optional<String> byPaths(Deployment deployment) {
        var running = deployment.getRunningCommitHash();
        if (skipOn.paths().isEmpty() || running.isEmpty()) return Optional.empty();
        var changed =
                repositories.changedFiles(
                        new RepositoryId(deployment.getGitPath().getRepo().getId()),
                        running,
                        deployment.getTrigger().getCommit().getHash());
        var patterns = new PathPatterns("skipOn.paths", skipOn.paths());
        return switch (changed) {
            case ChangedFiles.Changed(var files)
                    when !files.isEmpty() && files.stream().allMatch(patterns::match) ->
                    Optional.of(
                            "skipped: skipOn.paths names all %d changed file(s)"
                                    .formatted(files.size()));
            case ChangedFiles.Changed _, ChangedFiles.HistoryRewritten _ -> Optional.empty();
        };
    }
}
