// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static dev.pipecd.controlplane.Calls.fails;
import static dev.pipecd.controlplane.World.HERE;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.pipecd.wire.api.APIServiceGrpc;
import dev.pipecd.wire.api.APIServiceGrpc.APIServiceBlockingStub;
import dev.pipecd.wire.api.EncryptRequest;
import dev.pipecd.wire.api.GetCommandRequest;
import dev.pipecd.wire.api.GetPlanPreviewResultsRequest;
import dev.pipecd.wire.api.RequestPlanPreviewRequest;
import dev.pipecd.wire.api.SyncApplicationRequest;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.CommandStatus;
import dev.pipecd.wire.model.Piped;
import dev.pipecd.wire.model.PlanPreviewCommandResult;
import dev.pipecd.wire.piped.ListUnhandledCommandsRequest;
import dev.pipecd.wire.piped.ReportCommandHandledRequest;
import dev.pipecd.wire.piped.ReportPipedMetaRequest;
import dev.pipecd.wire.web.GenerateApplicationSealedSecretRequest;
import dev.pipecd.wire.web.WebServiceGrpc;
import io.grpc.Status;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.spec.MGF1ParameterSpec;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.OAEPParameterSpec;
import javax.crypto.spec.PSource;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PipelineDoorsTest {
    private static final String REMOTE = "https://git.example/org/demo.git";

    @TempDir Path folder;
    private World world;
    private Samples.Home home;
    private APIServiceBlockingStub api;

    @BeforeEach
    void open() throws Exception {
        world = new World(folder);
        home = Samples.home(world, HERE);
        api = APIServiceGrpc.newBlockingStub(world.as(World.holder(HERE, true)));
    }

    @AfterEach
    void close() {
        world.close();
    }

    private List<String> preview(String remote, String base) {
        return api.requestPlanPreview(
                        RequestPlanPreviewRequest.newBuilder()
                                .setRepoRemoteUrl(remote)
                                .setBaseBranch(base)
                                .setHeadBranch("feature")
                                .setHeadCommit("beef")
                                .setTimeout(60)
                                .build())
                .getCommandsList();
    }

    private List<PlanPreviewCommandResult> results(List<String> commands) {
        return api.getPlanPreviewResults(
                        GetPlanPreviewResultsRequest.newBuilder().addAllCommands(commands).build())
                .getResultsList();
    }

    private void handled(String command, CommandStatus status, String output) {
        var _ =
                home.calls()
                        .reportCommandHandled(
                                ReportCommandHandledRequest.newBuilder()
                                        .setCommandId(command)
                                        .setStatus(status)
                                        .setHandledAt(world.now.get().getEpochSecond())
                                        .setOutput(ByteString.copyFromUtf8(output))
                                        .build());
    }

    @Test
    void everyAgentThatWatchesTheBranchIsAskedForAPreview() {
        assertThat(preview("https://git.example/other.git", "main")).isEmpty();
        assertThat(preview(REMOTE, "release")).isEmpty();

        var asked = preview(REMOTE, "main");

        var order =
                home.calls()
                        .listUnhandledCommands(ListUnhandledCommandsRequest.getDefaultInstance())
                        .getCommands(0);
        assertThat(asked).containsExactly(order.getId());
        assertThat(order.getCommander()).isEqualTo("pipectl");
        assertThat(order.getBuildPlanPreview())
                .isEqualTo(
                        Command.BuildPlanPreview.newBuilder()
                                .setRepositoryId("demo")
                                .setHeadBranch("feature")
                                .setHeadCommit("beef")
                                .setBaseBranch("main")
                                .setTimeout(60)
                                .build());
    }

    @Test
    void aPreviewIsWaitedForThenShownWithNamesAndAddresses() {
        var asked = preview(REMOTE, "main");
        fails(Status.Code.NOT_FOUND, "result: none yet", () -> results(asked));

        handled(
                asked.getFirst(),
                CommandStatus.COMMAND_SUCCEEDED,
                """
                {"command_id":"x","results":[{"application_id":"a1","application_name":"site",
                "plan_summary":"MSBhZGRlZA==","created_at":1}]}
                """);

        var result = results(asked).getFirst();
        assertThat(result.getPipedName()).isEqualTo("east");
        assertThat(result.getPipedUrl()).isEqualTo("http://pipecd.example/settings/piped");
        assertThat(result.getResults(0).getApplicationUrl())
                .isEqualTo("http://pipecd.example/applications/a1");
        assertThat(result.getResults(0).toString()).contains("1 added");
        world.now.updateAndGet(now -> now.plus(Duration.ofHours(25)));
        fails(Status.Code.FAILED_PRECONDITION, "older than a day", () -> results(asked));
    }

    @Test
    void anAgentThatDoesNotAnswerAPreviewIsNamed() {
        var asked = preview(REMOTE, "main");

        world.now.updateAndGet(now -> now.plus(Duration.ofMinutes(3)));

        assertThat(results(asked).getFirst().getError())
                .isEqualTo("Maybe Piped is offline currently.");
        var _ =
                home.calls()
                        .listUnhandledCommands(ListUnhandledCommandsRequest.getDefaultInstance());
        fails(Status.Code.NOT_FOUND, "result: none yet", () -> results(asked));
        world.now.updateAndGet(now -> now.plus(Duration.ofMinutes(3)));
        var _ =
                home.calls()
                        .listUnhandledCommands(ListUnhandledCommandsRequest.getDefaultInstance());
        assertThat(results(asked).getFirst().getError()).startsWith("Timed out");
    }

    @Test
    void anAnswerThatCannotBeReadIsToldAsSuch() {
        var asked = preview(REMOTE, "main");

        handled(asked.getFirst(), CommandStatus.COMMAND_SUCCEEDED, "not json");

        assertThat(results(asked).getFirst().getError())
                .isEqualTo(
                        "The agent's answer cannot be read: document: broken (expected: a JSON"
                                + " object)");
    }

    @Test
    void onlyPreviewsHaveResultsOfPreviews() {
        var sync =
                api.syncApplication(
                                SyncApplicationRequest.newBuilder()
                                        .setApplicationId(home.application())
                                        .build())
                        .getCommandId();

        fails(
                Status.Code.FAILED_PRECONDITION,
                "expected: BUILD_PLAN_PREVIEW",
                () -> results(List.of(sync)));
    }

    private Command command(String id) {
        return api.getCommand(GetCommandRequest.newBuilder().setCommandId(id).build()).getCommand();
    }

    @Test
    void whatNobodyCarriedOutForADayTimesOutAndALateAnswerStillCounts() {
        var sync =
                api.syncApplication(
                                SyncApplicationRequest.newBuilder()
                                        .setApplicationId(home.application())
                                        .build())
                        .getCommandId();
        assertThat(command(sync).getCommander()).isEqualTo("key-1"); // as in the public system
        world.now.updateAndGet(now -> now.plus(Duration.ofHours(23)));
        world.features.delivery().lookAfter();
        assertThat(command(sync).getStatus()).isEqualTo(CommandStatus.COMMAND_NOT_HANDLED_YET);

        world.now.updateAndGet(now -> now.plus(Duration.ofHours(2)));
        world.features.delivery().lookAfter();

        assertThat(command(sync).getStatus()).isEqualTo(CommandStatus.COMMAND_TIMEOUT);
        assertThat(command(sync).getMetadataOrThrow("Reason"))
                .isEqualTo("no agent carried it out within a day");
        assertThat(
                        home.calls()
                                .listUnhandledCommands(
                                        ListUnhandledCommandsRequest.getDefaultInstance())
                                .getCommandsCount())
                .isZero();
        handled(sync, CommandStatus.COMMAND_SUCCEEDED, "");
        assertThat(command(sync).getStatus()).isEqualTo(CommandStatus.COMMAND_SUCCEEDED);
    }

    private void reportKey(String type, String pem) {
        var _ =
                home.calls()
                        .reportPipedMeta(
                                ReportPipedMetaRequest.newBuilder()
                                        .setSecretEncryption(
                                                Piped.SecretEncryption.newBuilder()
                                                        .setType(type)
                                                        .setPublicKey(pem))
                                        .build());
    }

    private String seal(String text, boolean base64) {
        return api.encrypt(
                        EncryptRequest.newBuilder()
                                .setPipedId(home.piped().value())
                                .setPlaintext(text)
                                .setBase64Encoding(base64)
                                .build())
                .getCiphertext();
    }

    @Test
    void onlyTheAgentCanOpenWhatIsSealedForIt() throws Exception {
        var generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(2048); // an agent's may be longer, which takes seconds to make
        var pair = generator.generateKeyPair();
        var body = Base64.getMimeEncoder().encodeToString(pair.getPublic().getEncoded());
        reportKey(
                "KEY_PAIR", "-----BEGIN PUBLIC KEY-----\n" + body + "\n-----END PUBLIC KEY-----\n");

        assertThat(opened(pair, seal("pass wörd", false))).isEqualTo("pass wörd");
        assertThat(opened(pair, seal("pass", true))).isEqualTo("cGFzcw==");
        assertThat(seal("pass", false)).isNotEqualTo(seal("pass", false));
        var web = WebServiceGrpc.newBlockingStub(world.as(World.person(HERE, "Editor")));
        var sealed =
                web.generateApplicationSealedSecret(
                                GenerateApplicationSealedSecretRequest.newBuilder()
                                        .setPipedId(home.piped().value())
                                        .setData("pass")
                                        .build())
                        .getData();
        assertThat(opened(pair, sealed)).isEqualTo("pass");
    }

    /// As agents do it.
    private static String opened(KeyPair pair, String sealed) throws Exception {
        var bytes = ByteBuffer.wrap(Base64.getDecoder().decode(sealed));
        var sealedKey = new byte[bytes.getShort()];
        bytes.get(sealedKey);
        var text = new byte[bytes.remaining()];
        bytes.get(text);
        var rsa = Cipher.getInstance("RSA/ECB/OAEPPadding");
        rsa.init(
                Cipher.DECRYPT_MODE,
                pair.getPrivate(),
                new OAEPParameterSpec(
                        "SHA-256", "MGF1", MGF1ParameterSpec.SHA256, PSource.PSpecified.DEFAULT));
        var aes = Cipher.getInstance("AES/GCM/NoPadding");
        aes.init(
                Cipher.DECRYPT_MODE,
                new SecretKeySpec(rsa.doFinal(sealedKey), "AES"),
                new GCMParameterSpec(128, new byte[12]));
        return new String(aes.doFinal(text), StandardCharsets.UTF_8);
    }

    @Test
    void anAgentWithoutAUsableKeyIsNamedInsteadOfBreakingTheServer() {
        fails(Status.Code.FAILED_PRECONDITION, "secret encryption: none", () -> seal("x", false));
        reportKey("NONE", "");
        fails(Status.Code.FAILED_PRECONDITION, "secret encryption: NONE", () -> seal("x", false));
        for (var broken : List.of("", "nonsense", "-----BEGIN PUBLIC KEY-----\nQUJD\n")) {
            reportKey("KEY_PAIR", broken);
            fails(
                    Status.Code.FAILED_PRECONDITION,
                    "public key: not usable",
                    () -> seal("x", false));
        }
    }
}
