// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.event;

import dev.pipecd.cli.flag.CalledWrongly;
import dev.pipecd.cli.flag.Pairs;
import dev.pipecd.cli.flag.Several;
import dev.pipecd.wire.api.RegisterEventRequest;
import java.util.List;
import java.util.regex.Pattern;
import picocli.CommandLine.Option;

/// What an event says, and which commit it comes from.
public final class EventFlags {
    private static final Pattern CONTEXT = Pattern.compile("[a-zA-Z0-9]+(-[a-zA-Z0-9]+)*");

    @Option(
            names = "--data",
            paramLabel = "TEXT",
            description = "The event's value, such as the version that was built.")
    String data = "";

    @Option(
            names = "--labels",
            paramLabel = "KEY=VALUE,...",
            description =
                    "The event's labels, which must be those its watcher names. Of several, a pair that has a comma stands in double quotes.")
    List<String> labels = List.of();

    @Option(
            names = "--contexts",
            paramLabel = "KEY=VALUE,...",
            description =
                    "Written at the end of the commit that the event causes. Keys are letters and digits, joined by single hyphens. Separated as labels are.")
    List<String> contexts = List.of();

    @Option(
            names = "--commit-hash",
            paramLabel = "HASH",
            description = "The commit the event comes from.")
    String commitHash = "";

    @Option(names = "--commit-url", paramLabel = "URL", description = "Where to see that commit.")
    String commitUrl = "";

    @Option(
            names = "--commit-title",
            paramLabel = "TEXT",
            description = "The first line of its message.")
    String commitTitle = "";

    @Option(names = "--commit-message", paramLabel = "TEXT", description = "Its whole message.")
    String commitMessage = "";

    @Option(names = "--commit-author", paramLabel = "NAME", description = "Who wrote it.")
    String commitAuthor = "";

    @Option(
            names = "--commit-timestamp",
            paramLabel = "SECONDS",
            description = "When, in seconds since 1970.")
    long commitTimestamp;

    /// Where no event is to be registered: what it should say was given in vain.
    public void requireNone() {
        requireNone("--data", List.of(data));
        requireNone("--labels", labels);
        requireNone("--contexts", contexts);
    }

    private static void requireNone(String flag, List<String> given) {
        if (!Several.of(given).isEmpty())
            throw new CalledWrongly(
                    "%s: without --event (expected: both; --event names the event that is registered)"
                            .formatted(flag));
    }

    /// The event of this name.
    public RegisterEventRequest request(String name) {
        if (data.isEmpty())
            throw new CalledWrongly(
                    "--data: missing (expected: the event's value, such as the version that was built)");
        var keys = Pairs.values("--contexts", contexts);
        for (var key : keys.keySet())
            if (!CONTEXT.matcher(key).matches())
                throw new CalledWrongly(
                        "--contexts: %s (expected: letters and digits, joined by single hyphens)"
                                .formatted(key));
        return RegisterEventRequest.newBuilder()
                .setName(name)
                .setData(data)
                .putAllLabels(Pairs.values("--labels", labels))
                .putAllContexts(keys)
                .setCommitHash(commitHash)
                .setCommitUrl(commitUrl)
                .setCommitTitle(commitTitle)
                .setCommitMessage(commitMessage)
                .setCommitAuthor(commitAuthor)
                .setCommitTimestamp(commitTimestamp)
                .build();
    }
}
