// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.notify;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pipecd.config.Notifications.Mentioned;
import dev.pipecd.wire.model.Deployment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What Slack is sent: one attachment with a title that leads to the page, a sentence, and the
/// facts.
final class SlackMessage {
    private static final JsonNodeFactory nodes = JsonNodeFactory.instance;
    private static final int LONGEST_TEXT = 3000;
    private static final int SHORT_HASH = 7;

    private SlackMessage() {}

    /// @param always whom the receiver names in each message
    static ObjectNode of(Notice notice, Sender sender, Mentioned always) {
        var event = notice.event();
        var words = SlackWords.of(event);
        var message = nodes.objectNode().put("username", "PipeCD");
        var attachment = message.putArray("attachments").addObject();
        attachment.put("title", escaped(words.title()));
        page(event, sender).ifPresent(link -> attachment.put("title_link", link));
        attachment.put("text", text(words.text(), named(event, always)));
        var fields = attachment.putArray("fields");
        facts(event, sender)
                .forEach((title, value) ->
                        fields.addObject()
                                .put("title", title)
                                .put("value", value)
                                .put("short", true));
        attachment.put("color", words.colour().hex());
        attachment.putArray("mrkdwn_in").add("text").add("fields");
        attachment.put("ts", notice.at().getEpochSecond());
        return message;
    }

    private static Optional<String> page(Event event, Sender sender) {
        return switch (event) {
            case Event.OfDeployment e -> sender.page(e.deployment());
            case Event.OfStage e -> sender.page(e.deployment());
            case Event.OfApplication e -> sender.applicationPage(e.application().getId());
            case Event.OfPiped _ -> sender.ownPage();
        };
    }

    private static List<String> named(Event event, Mentioned always) {
        var byEvent =
                switch (event) {
                    case Event.OfDeployment e -> Mentions.of(e.deployment(), e.kind());
                    // Nobody wants to be called at each stage.
                    case Event.OfStage _, Event.OfApplication _, Event.OfPiped _ ->
                            new Mentioned(List.of(), List.of());
                };
        var named = new LinkedHashSet<String>();
        always.accounts().forEach(account -> named.add(account(account)));
        byEvent.accounts().forEach(account -> named.add(account(account)));
        always.groups().forEach(group -> named.add(group(group)));
        byEvent.groups().forEach(group -> named.add(group(group)));
        return new ArrayList<>(named);
    }

    private static String account(String written) {
        return "<@%s>".formatted(written.replaceFirst("^@", ""));
    }

    private static String group(String written) {
        return written.contains("<!subteam^") ? written : "<!subteam^%s>".formatted(written);
    }

    private static String text(String words, List<String> named) {
        var whole = new ArrayList<>(named);
        if (!words.isEmpty()) whole.add(escaped(words));
        return String.join(" ", whole);
    }

    private static Map<String, String> facts(Event event, Sender sender) {
        var facts = new LinkedHashMap<String, String>();
        facts.put("Project", escaped(sender.projectId()));
        switch (event) {
            case Event.OfDeployment e -> deployment(e.deployment(), sender, facts);
            case Event.OfStage e -> {
                facts.put("Stage", escaped(e.stage().getName()));
                deployment(e.deployment(), sender, facts);
            }
            case Event.OfApplication e -> {
                var application = e.application();
                facts.put(
                        "Application",
                        linked(application.getName(), sender.applicationPage(application.getId())));
                if (e instanceof Event.DeploymentTriggerFailed(_, var commit, var message, _))
                    facts.put("Commit", escaped(brief(commit) + " " + message));
            }
            case Event.OfPiped _ -> {
                facts.put("Agent", linked(sender.name(), sender.ownPage()));
                facts.put("Version", escaped(sender.version()));
            }
        }
        return facts;
    }

    private static void deployment(
            Deployment deployment, Sender sender, Map<String, String> facts) {
        facts.put(
                "Application",
                linked(
                        deployment.getApplicationName(),
                        sender.applicationPage(deployment.getApplicationId())));
        facts.put("Deployment", linked(deployment.getId(), sender.page(deployment)));
        var commit = deployment.getTrigger().getCommit();
        facts.put(
                "Commit",
                linked(
                        brief(commit.getHash()) + " " + commit.getMessage(),
                        Optional.of(commit.getUrl()).filter(url -> !url.isEmpty())));
        var commander = deployment.getTrigger().getCommander();
        facts.put("Triggered by", escaped(commander.isEmpty() ? commit.getAuthor() : commander));
    }

    private static String brief(String hash) {
        return hash.length() <= SHORT_HASH ? hash : hash.substring(0, SHORT_HASH);
    }

    private static String linked(String text, Optional<String> page) {
        return page.map(address ->
                        "<%s|%s>".formatted(escaped(address), escaped(text).replace('|', '¦')))
                .orElse(escaped(text));
    }

    /// Whoever writes a commit message must not be able to call everybody in the channel.
    private static String escaped(String text) {
        var brief = text.length() <= LONGEST_TEXT ? text : text.substring(0, LONGEST_TEXT) + "…";
        return brief.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
