// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.read;

import dev.pipecd.config.ApplicationConfig.Attachment;
import dev.pipecd.config.ApplicationConfig.ChainLink;
import dev.pipecd.config.ApplicationConfig.Encryption;
import dev.pipecd.config.ApplicationConfig.EventUpdate;
import dev.pipecd.config.ApplicationConfig.EventWatch;
import dev.pipecd.config.ApplicationConfig.Mention;
import dev.pipecd.config.ApplicationConfig.Replacement;
import dev.pipecd.config.Notifications;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// The parts of an Application document that most applications do without.
final class AdditionsReader {
    private static final String EVERY_EVENT = "*";
    private static final String GIT_UPDATE = "GIT_UPDATE";

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

    static Encryption encryption(Field encryption) {
        if (!encryption.isWritten()) return new Encryption(Map.of(), List.of());
        return encryption.section(fields ->
                new Encryption(
                        filled(fields.at("encryptedSecrets")),
                        notEmpty(fields.at("decryptionTargets"))));
    }

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

    /// As files of `.pipe` have them: paths are relative to the repository's root.
    static List<EventWatch> events(Field events) {
        var read = events.each(AdditionsReader::event);
        if (read.isEmpty()) events.mistake("empty (expected: at least one event)");
        return read;
    }

    private static EventWatch event(Fields event) {
        var replacements = event.at("replacements");
        var read = replacements.each(AdditionsReader::wholeReplacement);
        if (read.isEmpty()) replacements.mistake("empty (expected: at least one)");
        return new EventWatch(
                event.at("name").required(),
                event.at("labels").pairs(),
                GIT_UPDATE,
                new EventUpdate("", false, read));
    }

    private static Replacement wholeReplacement(Fields fields) {
        var read = replacement(fields);
        fields.at("file").requireText("a path");
        if ((read.yamlField() + read.jsonField() + read.hclField() + read.regex()).isEmpty())
            fields.mistake("nothing to look for (expected: yamlField, jsonField or regex)");
        return read;
    }

    private static String handlerType(Field type) {
        var written = type.text();
        if (!written.equals(GIT_UPDATE))
            type.warn("%s (does nothing; expected: GIT_UPDATE)".formatted(Telling.quoted(written)));
        return written;
    }

    private static EventUpdate update(Fields config) {
        return new EventUpdate(
                config.at("commitMessage").text(),
                config.at("makePullRequest").flag(false),
                config.at("replacements").each(AdditionsReader::replacement));
    }

    private static Replacement replacement(Fields replacement) {
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

    static List<String> driftIgnoreFields(Fields drift) {
        return drift.at("ignoreFields")
                .texts((spot, text) -> {
                    if (text.chars().filter(c -> c == '#').count() != 1)
                        spot.mistake(
                                "%s (expected: apiVersion:kind:namespace:name#fieldPath)"
                                        .formatted(Telling.quoted(text)));
                });
    }
}
