// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.read;

import dev.pipecd.config.ApplicationConfig.Attachment;
import dev.pipecd.config.ApplicationConfig.ChainLink;
import dev.pipecd.config.ApplicationConfig.Encryption;
import dev.pipecd.config.ApplicationConfig.EventUpdate;
import dev.pipecd.config.ApplicationConfig.EventWatch;
import dev.pipecd.config.ApplicationConfig.Mention;
import dev.pipecd.config.ApplicationConfig.Replacement;
import dev.pipecd.config.ApplicationConfig.Source;
import dev.pipecd.config.Notifications;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// The parts of an Application document that most applications do without.
final class AdditionsReader {
    private static final String EVERY_EVENT = "*";
    static final String GIT_UPDATE = "GIT_UPDATE";

    /// What the public protocol calls the platforms; a control plane refuses a chain that names
    /// another.
    private static final List<String> CHAINED_KINDS =
            List.of("KUBERNETES", "TERRAFORM", "LAMBDA", "CLOUDRUN", "ECS");

    private AdditionsReader() {}

    static List<ChainLink> postSyncChain(Field postSync) {
        return postSync.section(fields -> {
            var chain = fields.at("chain");
            if (!chain.isWritten()) return List.of();
            return chain.section(AdditionsReader::chain);
        });
    }

    private static List<ChainLink> chain(Fields chain) {
        var applications = chain.at("applications");
        var links = applications.each(AdditionsReader::chainLink);
        if (links.isEmpty()) applications.mistake("empty (expected: at least one application)");
        return links;
    }

    @Keys(
            """
            postSync.chain.applications[].name, kind, labels | | | Who is deployed after it, a block each: [chains](../guides/delivery.md#chains). At least one of the three.
            """)
    private static ChainLink chainLink(Fields link) {
        var read =
                new ChainLink(
                        link.at("name").text(),
                        link.at("kind").choice(CHAINED_KINDS).orElse(""),
                        link.at("labels").pairs());
        if (read.name().isEmpty() && read.kind().isEmpty() && read.labels().isEmpty())
            link.mistake("empty (expected: name, kind or labels)");
        return read;
    }

    @Keys(
            """
            encryption.encryptedSecrets, decryptionTargets | | | [Secrets](../guides/secrets.md) sealed for the agent, and the files they are filled into.
            """)
    static Encryption encryption(Field encryption) {
        if (!encryption.isWritten()) return new Encryption(Map.of(), List.of());
        return encryption.section(fields ->
                new Encryption(
                        filled(fields.at("encryptedSecrets")),
                        notEmpty(fields.at("decryptionTargets"))));
    }

    @Keys(
            """
            attachment.sources, targets | | | [Files](../guides/secrets.md) whose content is filled into others.
            """)
    static Attachment attachment(Field attachment) {
        if (!attachment.isWritten()) return new Attachment(Map.of(), List.of());
        return attachment.section(fields ->
                new Attachment(filled(fields.at("sources")), notEmpty(fields.at("targets"))));
    }

    private static Map<String, String> filled(Field field) {
        return field.pairs((spot, name, text) -> {
            if (name.isEmpty() || text.isEmpty())
                spot.mistake("empty name or value (expected: neither empty)");
        });
    }

    private static List<String> notEmpty(Field field) {
        var texts = field.texts();
        if (texts.isEmpty()) field.mistake("empty (expected: at least one path)");
        return texts;
    }

    static List<Mention> mentions(Fields notification) {
        return notification.at("mentions").each(AdditionsReader::mention);
    }

    @Keys(
            """
            notification.mentions[].event | an event or `*` | | When [Slack messages](../guides/notifications.md) about this application name people.
            notification.mentions[].slackUsers, slackGroups | | | Whom they name, by their ids.
            notification.mentions[].slack | | | The old name of `slackUsers`.
            notification.mentions[].email | | | Accepted, without effect.
            """)
    private static Mention mention(Fields mention) {
        var names = new ArrayList<>(Notifications.EVENTS.stream().sorted().toList());
        names.addFirst(EVERY_EVENT);
        mention.at("email").texts();
        // The old name for users.
        var users = new ArrayList<>(mention.at("slack").texts());
        users.addAll(mention.at("slackUsers").texts());
        return new Mention(
                mention.at("event").requiredChoice(names).orElse(EVERY_EVENT),
                users,
                mention.at("slackGroups").texts());
    }

    @Keys(
            """
            eventWatcher[].matcher.name, labels | | | Which [event](../guides/event-watcher.md) replaces values.
            eventWatcher[].handler.type | | | `GIT_UPDATE`; anything else does nothing, and is warned of.
            """)
    static EventWatch eventWatch(Fields watch) {
        var handler = watch.at("handler");
        return watch.at("matcher")
                .section(matcher ->
                        handler.section(fields ->
                                new EventWatch(
                                        matcher.at("name").text(),
                                        matcher.at("labels").pairs(),
                                        handlerType(fields.at("type")),
                                        fields.at("config").section(AdditionsReader::update))));
    }

    private static String handlerType(Field type) {
        var written = type.text();
        if (!written.equals(GIT_UPDATE))
            type.warn("%s (does nothing; expected: GIT_UPDATE)".formatted(Telling.quoted(written)));
        return written;
    }

    @Keys(
            """
            eventWatcher[].handler.config.commitMessage | | one that names the event | What the commit says.
            eventWatcher[].handler.config.makePullRequest | | | Commit to a branch of its own.
            """)
    private static EventUpdate update(Fields config) {
        return new EventUpdate(
                config.at("commitMessage").text(),
                config.at("makePullRequest").flag(false),
                config.at("replacements").each(AdditionsReader::replacement));
    }

    @Keys(
            """
            eventWatcher[].handler.config.replacements[].file | | | Relative to the application's folder.
            eventWatcher[].handler.config.replacements[].yamlField, jsonField, HCLField, regex | | | Where the value stands there, one of them. `HCLField` is refused when the event comes.
            """)
    static Replacement replacement(Fields replacement) {
        if (replacement.at("HCLField").isWritten())
            replacement
                    .at("HCLField")
                    .warn("refused when the event comes (expected: yamlField, jsonField or regex)");
        return new Replacement(
                replacement.at("file").text(),
                replacement.at("yamlField").text(),
                replacement.at("jsonField").text(),
                replacement.at("HCLField").text(),
                replacement.at("regex").text());
    }

    @Keys(
            """
            driftDetection.ignoreFields | | | `apiVersion:kind:namespace:name#fieldPath` each. Not used yet.
            """)
    static List<String> driftIgnoreFields(Fields drift) {
        return drift.at("ignoreFields")
                .texts((spot, text) -> {
                    if (text.chars().filter(c -> c == '#').count() != 1)
                        spot.mistake(
                                "%s (expected: apiVersion:kind:namespace:name#fieldPath)"
                                        .formatted(Telling.quoted(text)));
                });
    }

    @Keys(
            """
            source.paths | | | Folders and files, from the repository's root, that plugins and scripts are [given besides the application's folder](../guides/deployments.md#what-a-stage-is-given); `.` is the whole repository. Ours.
            source.references | | | Whether they are given, too, what files refer to by `../`. Ours.
            """)
    static Source source(Fields source) {
        return new Source(
                source.at("paths")
                        .texts((spot, text) -> {
                            if (leaves(text))
                                spot.mistake(
                                        "%s (expected: a path from the repository's root, without `..`)"
                                                .formatted(Telling.quoted(text)));
                        }),
                source.at("references").flag(true));
    }

    private static boolean leaves(String path) {
        return path.isBlank()
                || path.startsWith("/")
                || path.indexOf('\0') >= 0
                || List.of(path.split("/")).contains("..");
    }
}
