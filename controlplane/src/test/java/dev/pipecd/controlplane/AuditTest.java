// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import at.favre.lib.crypto.bcrypt.BCrypt;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pipecd.wire.audit.AuditEntry;
import dev.pipecd.wire.audit.AuditServiceGrpc;
import dev.pipecd.wire.audit.ListAuditEntriesRequest;
import dev.pipecd.wire.model.APIKey;
import dev.pipecd.wire.model.ProjectRBACPolicy;
import dev.pipecd.wire.model.ProjectRBACResource;
import dev.pipecd.wire.model.ProjectSSOConfig;
import dev.pipecd.wire.piped.PipedServiceGrpc;
import dev.pipecd.wire.piped.ReportPipedMetaRequest;
import dev.pipecd.wire.session.SessionServiceGrpc;
import dev.pipecd.wire.web.*;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/// Who did what, on the whole server and over its real ports.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class AuditTest {
    private static final String CANARY = "canary-91c2";

    @TempDir private static Path folder;
    private final HttpClient http =
            HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NEVER).build();
    private ControlPlane server;
    private ManagedChannel channel;
    private String token;
    private String secretsGiven = "";

    @BeforeAll
    void start() throws Exception {
        Files.writeString(folder.resolve("key"), "k".repeat(64));
        Files.writeString(
                folder.resolve("control-plane.yaml"),
                """
                apiVersion: pipecd.dev/v1beta1
                kind: ControlPlane
                spec:
                  projects:
                    - {id: here, staticAdmin: {username: ann, passwordHash: "%1$s"}}
                    - {id: there, staticAdmin: {username: bob, passwordHash: "%1$s"}}
                """
                        .formatted(BCrypt.withDefaults().hashToString(4, "hello".toCharArray())));
        server = ControlPlane.start(ControlPlaneTest.options(folder));
        channel =
                NettyChannelBuilder.forAddress("127.0.0.1", server.port("gateway").orElseThrow())
                        .usePlaintext()
                        .build();
        token = login("here", "ann");
        deeds();
    }

    private void deeds() throws Exception {
        var web = WebServiceGrpc.newBlockingStub(as(token));
        var piped = web.registerPiped(RegisterPipedRequest.newBuilder().setName("east").build());
        var _ =
                PipedServiceGrpc.newBlockingStub(
                                with(
                                        "authorization",
                                        "PIPED-TOKEN here,%s,%s"
                                                .formatted(piped.getId(), piped.getKey())))
                        .reportPipedMeta(
                                ReportPipedMetaRequest.newBuilder().setVersion("v1").build());
        var _ =
                WebServiceGrpc.newBlockingStub(
                                RunningServer.withHeaders(
                                        as(token), "x-request-id", "of-the-browser"))
                        .disablePiped(
                                DisablePipedRequest.newBuilder().setPipedId(piped.getId()).build());
        var key =
                SessionServiceGrpc.newBlockingStub(as(token))
                        .generateAPIKey(
                                dev.pipecd.wire.session.GenerateAPIKeyRequest.newBuilder()
                                        .setName("robot")
                                        .setRole(APIKey.Role.READ_ONLY)
                                        .setExpiresAt(4_000_000_000L)
                                        .build())
                        .getKey();
        var _ =
                web.updateProjectSSOConfig(
                        UpdateProjectSSOConfigRequest.newBuilder()
                                .setSso(
                                        ProjectSSOConfig.newBuilder()
                                                .setGithub(
                                                        ProjectSSOConfig.GitHub.newBuilder()
                                                                .setClientId(CANARY)
                                                                .setClientSecret(CANARY)))
                                .build());
        var _ =
                web.addProjectRBACRole(
                        AddProjectRBACRoleRequest.newBuilder()
                                .setName("Reader")
                                .addPolicies(
                                        ProjectRBACPolicy.newBuilder()
                                                .addResources(
                                                        ProjectRBACResource.getDefaultInstance())
                                                .addActions(ProjectRBACPolicy.Action.GET))
                                .build());
        var other = login("there", "bob");
        var _ =
                WebServiceGrpc.newBlockingStub(as(other))
                        .registerPiped(RegisterPipedRequest.newBuilder().setName("west").build());
        var _ = get("/auth/logout", login("here", "ann"));
        secretsGiven = piped.getKey() + " " + key;
    }

    @AfterAll
    void stop() {
        channel.shutdownNow();
        server.close();
        http.close();
    }

    @Test
    void everyDeedTellsWhoWhatAndFromWhereNewestFirst() {
        var entries = list(ListAuditEntriesRequest.getDefaultInstance());

        assertThat(entries)
                .extracting(e ->
                        "%s %s %s %s".formatted(e.getActor(), e.getVia(), e.getKind(), e.getWhat()))
                .containsExactly(
                        "ann WEB SESSION logged out",
                        "ann WEB SESSION logged in by password",
                        "ann WEB PROJECT role Reader added",
                        "ann WEB PROJECT single sign-on changed",
                        "ann WEB API_KEY added",
                        "ann WEB PIPED disabled",
                        "ann WEB PIPED added",
                        "ann WEB SESSION logged in by password",
                        "server SERVER PROJECT added");
        assertThat(entries.subList(0, 8)).extracting(AuditEntry::getFrom).containsOnly("127.0.0.1");
        assertThat(entries.subList(0, 8))
                .extracting(AuditEntry::getRequestId)
                .allMatch(id -> id.matches("of-the-browser|[0-9a-f]{16}"))
                .doesNotHaveDuplicates();
        assertThat(entries.get(5).getRequestId()).isEqualTo("of-the-browser");
    }

    @Test
    void aChangeTellsWhatWasAndWhatIs() throws Exception {
        var disabled =
                list(ListAuditEntriesRequest.newBuilder().setKind("PIPED").build()).getFirst();

        assertThat(disabled.getBefore()).isEmpty();
        assertThat(json(disabled.getAfter())).isEqualTo(json("{\"disabled\":true}"));
    }

    @Test
    void nothingSecretIsInIt() {
        var all =
                list(ListAuditEntriesRequest.newBuilder()
                                .addAllVia(List.of("WEB", "API", "AGENT", "SERVER"))
                                .build())
                        .toString();

        assertThat(all).doesNotContain(CANARY).doesNotContain("$2a$");
        for (var secret : secretsGiven.split(" ")) assertThat(all).doesNotContain(secret);
    }

    @Test
    void agentsReportsAreToldOnlyWhenAskedFor() {
        var agents = list(ListAuditEntriesRequest.newBuilder().addVia("AGENT").build());

        assertThat(agents).isNotEmpty().allMatch(e -> e.getKind().equals("PIPED"));
    }

    @Test
    void pagesGoOnWhereTheLastEnded() {
        var all = list(ListAuditEntriesRequest.getDefaultInstance());
        var audit = AuditServiceGrpc.newBlockingStub(as(token));
        var found = new ArrayList<AuditEntry>();
        var cursor = "";
        do {
            var page =
                    audit.listAuditEntries(
                            ListAuditEntriesRequest.newBuilder()
                                    .setPageSize(2)
                                    .setCursor(cursor)
                                    .build());
            found.addAll(page.getEntriesList());
            cursor = page.getCursor();
        } while (!cursor.isEmpty());

        assertThat(found).isEqualTo(all);
    }

    @Test
    void filtersNarrow() {
        assertThat(list(ListAuditEntriesRequest.newBuilder().setActor("server").build()))
                .hasSize(1);
        assertThat(list(ListAuditEntriesRequest.newBuilder().setTo(1).build())).isEmpty();
        assertThat(list(ListAuditEntriesRequest.newBuilder().setFrom(1).build())).hasSize(9);
        assertThat(list(ListAuditEntriesRequest.newBuilder().setSubjectId("ann").build()))
                .hasSize(3);
    }

    @Test
    void onlyWhoMayChangeTheProjectReadsIt() throws Exception {
        var holder =
                AuditServiceGrpc.newBlockingStub(
                        with("authorization", "API-KEY " + secretsGiven.split(" ")[1]));

        assertThatThrownBy(
                        () -> holder.listAuditEntries(ListAuditEntriesRequest.getDefaultInstance()))
                .hasMessageStartingWith("UNAUTHENTICATED");
        assertThat(get("/audit.jsonl", "nonsense").statusCode()).isEqualTo(401);
    }

    @Test
    void theExportHasALineOfJsonForEachDeed() throws Exception {
        var answer = get("/audit.jsonl", token);

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("content-type"))
                .hasValue("application/jsonl; charset=utf-8");
        var lines = answer.body().lines().toList();
        assertThat(lines).hasSize(9);
        assertThat(json(lines.get(5)).path("after")).isEqualTo(json("{\"disabled\":true}"));
        assertThat(answer.body()).doesNotContain(CANARY).doesNotContain("west");
        assertThat(get("/audit.jsonl?from=x", token).statusCode()).isEqualTo(400);
    }

    @Test
    void whatAgentsReportedIsExportedWhenAskedFor() throws Exception {
        var agents = get("/audit.jsonl?via=AGENT", token).body().lines().toList();
        var both = get("/audit.jsonl?via=AGENT&via=WEB", token).body().lines().toList();

        assertThat(agents).isNotEmpty();
        for (var line : agents) assertThat(json(line).path("via").asText()).isEqualTo("AGENT");
        assertThat(both).hasSizeGreaterThan(agents.size()).containsAll(agents);
        assertThat(json(agents.getFirst()).path("at").asText()).matches("\\d{4}-\\d\\d-\\d\\dT.*Z");
        assertThat(get("/audit.jsonl?via=nobody", token).statusCode()).isEqualTo(400);
    }

    private static JsonNode json(String text) throws Exception {
        return new ObjectMapper().readTree(text);
    }

    private List<AuditEntry> list(ListAuditEntriesRequest request) {
        return AuditServiceGrpc.newBlockingStub(as(token))
                .listAuditEntries(request)
                .getEntriesList();
    }

    private Channel as(String session) {
        return with("cookie", "token=" + session);
    }

    private Channel with(String header, String value) {
        return RunningServer.withHeaders(channel, header, value);
    }

    private String login(String project, String name) throws Exception {
        var request =
                HttpRequest.newBuilder(uri("/auth/login/static"))
                        .POST(
                                HttpRequest.BodyPublishers.ofString(
                                        "project=%s&username=%s&password=hello"
                                                .formatted(project, name),
                                        UTF_8))
                        .build();
        return http.send(request, HttpResponse.BodyHandlers.ofString())
                .headers()
                .firstValue("set-cookie")
                .orElseThrow()
                .replaceFirst("token=([^;]*);.*", "$1");
    }

    private HttpResponse<String> get(String path, String session) throws Exception {
        return http.send(
                HttpRequest.newBuilder(uri(path)).header("cookie", "token=" + session).build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private URI uri(String path) {
        return URI.create("http://127.0.0.1:" + server.port("gateway").orElseThrow() + path);
    }
}
