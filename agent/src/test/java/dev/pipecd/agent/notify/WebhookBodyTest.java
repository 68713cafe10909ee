// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.notify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.wire.model.DeployTargets;
import java.util.List;
import org.junit.jupiter.api.Test;

final class WebhookBodyTest {
    private static final String DEPLOYMENT =
            "{\"id\":\"d1\",\"application_id\":\"a1\",\"application_name\":\"shop\",\"piped_id\":\"piped-1\",\"project_id\":\"team\",\"labels\":{\"tier\":\"web\"},"
                    + "\"trigger\":{\"commit\":{\"hash\":\"0123456789abcdef\",\"message\":\"Sell <more> & more\",\"author\":\"ann\",\"branch\":\"main\",\"created_at\":1699999990},\"timestamp\":1699999999},"
                    + "\"summary\":\"pipeline: as configured\",\"status\":2}";
    private static final String STAGE =
            "{\"id\":\"s1\",\"name\":\"WAIT_APPROVAL\",\"status\":3,\"status_reason\":\"nobody came\",\"available_operation\":2,\"authorized_operators\":[\"ann\",\"bob\"]}";
    private static final String APPLICATION =
            "{\"id\":\"a1\",\"name\":\"shop\",\"project_id\":\"team\",\"labels\":{\"tier\":\"web\"}}";
    private static final String AGENT =
            "\"id\":\"piped-1\",\"name\":\"west\",\"version\":\"v1.2\",\"project_id\":\"team\"";

    @Test
    void eachEventHasItsPublicForm() {
        assertThat(Samples.EACH)
                .extracting(event -> WebhookBody.of(event, Samples.SENDER).toString())
                .containsExactlyElementsOf(
                        List.of(
                                deployment(0, ""),
                                deployment(1, ",\"summary\":\"pipeline: as configured\""),
                                deployment(2, ",\"approver\":\"bob\""),
                                deployment(3, ""),
                                deployment(4, ""),
                                deployment(5, ",\"reason\":\"PUBLISH failed\""),
                                deployment(6, ",\"commander\":\"ann\""),
                                deployment(7, ""),
                                application(
                                        8,
                                        ",\"commit_hash\":\"0123456789abcdef\",\"commit_message\":\"Break it\",\"reason\":\"the file is not YAML\""),
                                deployment(9, ""),
                                application(
                                        100, ",\"state\":{\"status\":1,\"timestamp\":1700000000}"),
                                application(
                                        101,
                                        ",\"state\":{\"status\":3,\"short_reason\":\"drift\",\"reason\":\"2 objects differ\",\"timestamp\":1700000000}"),
                                application(200, ""),
                                agent(300, ""),
                                agent(301, ""),
                                agent(
                                        350,
                                        ",\"plugin\":\"kubernetes\",\"reason\":\"it ends again and again\",\"advice\":\"Mend it.\""),
                                agent(351, ",\"plugin\":\"kubernetes\""),
                                stage(400),
                                stage(401),
                                stage(402),
                                stage(403),
                                stage(404)));
    }

    @Test
    void peopleNamedByTheApplicationAreListedForTheirEvents() {
        var deployment =
                Samples.naming(
                        "{\"mentions\":[{\"event\":\"*\",\"slackUsers\":[\"U1\"]},"
                                + "{\"event\":\"DEPLOYMENT_FAILED\",\"slack\":[\"U2\",\"U1\"],\"slackGroups\":[\"G1\"]}]}");

        assertThat(
                        WebhookBody.of(new Event.DeploymentFailed(deployment, "no"), Samples.SENDER)
                                .toString())
                .endsWith(
                        ",\"reason\":\"no\",\"mentioned_accounts\":[\"U1\",\"U2\"],\"mentioned_groups\":[\"G1\"]}}");
        assertThat(
                        WebhookBody.of(new Event.DeploymentSucceeded(deployment), Samples.SENDER)
                                .toString())
                .endsWith(",\"mentioned_accounts\":[\"U1\"]}}");
    }

    @Test
    void mentionsThatAreNotJsonNameNobody() {
        assertThat(Mentions.of(Samples.naming("{mentions"), EventKind.DEPLOYMENT_FAILED).accounts())
                .isEmpty();
    }

    @Test
    void mapsOfMessagesAreSorted() {
        var deployment =
                Samples.DEPLOYMENT.toBuilder()
                        .clearTrigger()
                        .putDeployTargetsByPlugin(
                                "z", DeployTargets.newBuilder().addDeployTargets("t").build())
                        .putDeployTargetsByPlugin("a", DeployTargets.getDefaultInstance())
                        .build();

        assertThat(PublicJson.of(deployment).path("deploy_targets_by_plugin").toString())
                .isEqualTo("{\"a\":{},\"z\":{\"deploy_targets\":[\"t\"]}}");
    }

    private static String deployment(int type, String rest) {
        return "{\"Type\":%d,\"Metadata\":{\"deployment\":%s%s}}".formatted(type, DEPLOYMENT, rest);
    }

    private static String stage(int type) {
        return deployment(type, ",\"stage\":" + STAGE);
    }

    private static String application(int type, String rest) {
        return "{\"Type\":%d,\"Metadata\":{\"application\":%s%s}}"
                .formatted(type, APPLICATION, rest);
    }

    private static String agent(int type, String rest) {
        return "{\"Type\":%d,\"Metadata\":{%s%s}}".formatted(type, AGENT, rest);
    }
}
