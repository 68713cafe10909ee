// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.notify;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pipecd.config.Notifications.Mentioned;
import dev.pipecd.wire.model.Commit;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SlackMessageTest {
    private static final Mentioned NOBODY = new Mentioned(List.of(), List.of());

    @Test
    void eachEventHasATitleATextAndAColour() {
        assertThat(Samples.EACH)
                .extracting(event -> {
                    var shown = shown(event, NOBODY);
                    return "%s %s | %s"
                            .formatted(
                                    shown.path("color").asText(),
                                    shown.path("title").asText(),
                                    shown.path("text").asText());
                })
                .containsExactly(
                        "#222429 shop: deployment triggered | ",
                        "#222429 shop: deployment planned | pipeline: as configured",
                        "#222429 shop: deployment approved | Approved by bob",
                        "#C1A337 shop: deployment rolls back | PUBLISH failed",
                        "#629650 shop: deployment succeeded | ",
                        "#9C3C31 shop: deployment failed | PUBLISH failed",
                        "#C1A337 shop: deployment cancelled | cancelled by ann",
                        "#C1A337 shop: deployment waits for approval | WAIT_APPROVAL waits for ann, bob",
                        "#9C3C31 shop: no deployment triggered | the file is not YAML",
                        "#222429 shop: deployment started | ",
                        "#629650 shop: synced | ",
                        "#C1A337 shop: out of sync | 2 objects differ",
                        "#629650 shop: healthy | ",
                        "#222429 Agent started | ",
                        "#222429 Agent stops | ",
                        "#9C3C31 Plugin kubernetes is unhealthy | it ends again and again. Mend it.",
                        "#629650 Plugin kubernetes is ready again | ",
                        "#222429 shop: stage WAIT_APPROVAL started | ",
                        "#222429 shop: stage WAIT_APPROVAL skipped | nobody came",
                        "#629650 shop: stage WAIT_APPROVAL succeeded | nobody came",
                        "#9C3C31 shop: stage WAIT_APPROVAL failed | nobody came",
                        "#C1A337 shop: stage WAIT_APPROVAL cancelled | nobody came");
    }

    @Test
    void aMessageIsOneAttachmentThatLeadsToThePage() {
        var notice = notice(new Event.DeploymentFailed(Samples.DEPLOYMENT, "PUBLISH failed"));

        assertThat(SlackMessage.of(notice, Samples.SENDER, NOBODY).toString())
                .isEqualTo(
                        "{\"username\":\"PipeCD\",\"attachments\":[{\"title\":\"shop: deployment failed\","
                                + "\"title_link\":\"https://cd.example.com/deployments/d1?project=team\",\"text\":\"PUBLISH failed\",\"fields\":["
                                + "{\"title\":\"Project\",\"value\":\"team\",\"short\":true},"
                                + "{\"title\":\"Application\",\"value\":\"<https://cd.example.com/applications/a1?project=team|shop>\",\"short\":true},"
                                + "{\"title\":\"Deployment\",\"value\":\"<https://cd.example.com/deployments/d1?project=team|d1>\",\"short\":true},"
                                + "{\"title\":\"Commit\",\"value\":\"0123456 Sell &lt;more&gt; &amp; more\",\"short\":true},"
                                + "{\"title\":\"Triggered by\",\"value\":\"ann\",\"short\":true}],"
                                + "\"color\":\"#9C3C31\",\"mrkdwn_in\":[\"text\",\"fields\"],\"ts\":1700000000}]}");
    }

    @Test
    void whoeverWritesACommitCannotCallEverybody() {
        var trigger =
                Samples.DEPLOYMENT.getTrigger().toBuilder()
                        .setCommit(
                                Commit.newBuilder()
                                        .setHash("abc")
                                        .setMessage("<!channel> | wake up")
                                        .setUrl("https://git.example.com/c?a=1&b=2"))
                        .setCommander("<!here>");
        var deployment = Samples.DEPLOYMENT.toBuilder().setTrigger(trigger).build();
        var shown = shown(new Event.DeploymentFailed(deployment, "<!everyone>"), NOBODY);

        assertThat(shown.path("text").asText()).isEqualTo("&lt;!everyone&gt;");
        assertThat(shown.path("fields").get(3).path("value").asText())
                .isEqualTo(
                        "<https://git.example.com/c?a=1&amp;b=2|abc &lt;!channel&gt; ¦ wake up>");
        assertThat(shown.path("fields").get(4).path("value").asText()).isEqualTo("&lt;!here&gt;");
    }

    @Test
    void peopleNamedByReceiverAndApplicationAreCalledOnceEach() {
        var deployment =
                Samples.naming(
                        "{\"mentions\":[{\"event\":\"*\",\"slackUsers\":[\"@U1\",\"U2\"],\"slackGroups\":[\"<!subteam^G2>\"]}]}");

        assertThat(
                        shown(
                                        new Event.DeploymentFailed(deployment, "no"),
                                        new Mentioned(List.of("U1"), List.of("G1")))
                                .path("text")
                                .asText())
                .isEqualTo("<@U1> <@U2> <!subteam^G1> <!subteam^G2> no");
    }

    @Test
    void withoutAWebAddressThereAreNoLinks() {
        var sender = new Sender("team", "piped-1", "west", "v1.2", () -> "");
        var shown =
                SlackMessage.of(notice(new Event.PipedStarted()), sender, NOBODY)
                        .path("attachments")
                        .get(0);

        assertThat(shown.has("title_link")).isFalse();
        assertThat(shown.path("fields").toString())
                .isEqualTo(
                        "[{\"title\":\"Project\",\"value\":\"team\",\"short\":true},{\"title\":\"Agent\",\"value\":\"west\",\"short\":true},{\"title\":\"Version\",\"value\":\"v1.2\",\"short\":true}]");
    }

    @Test
    void aLongReasonIsCut() {
        var shown =
                shown(new Event.DeploymentFailed(Samples.DEPLOYMENT, "x".repeat(10_000)), NOBODY);

        assertThat(shown.path("text").asText()).isEqualTo("x".repeat(3000) + "…");
    }

    private static Notice notice(Event event) {
        return new Notice("n1", event, Samples.AT);
    }

    private static JsonNode shown(Event event, Mentioned always) {
        return SlackMessage.of(notice(event), Samples.SENDER, always).path("attachments").get(0);
    }
}
