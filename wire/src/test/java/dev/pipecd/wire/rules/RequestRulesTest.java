// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.wire.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import build.buf.validate.FieldRules;
import build.buf.validate.MessageRules;
import build.buf.validate.OneofRules;
import build.buf.validate.RepeatedRules;
import build.buf.validate.StringRules;
import build.buf.validate.ValidateProto;
import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldOptions;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.MessageOptions;
import com.google.protobuf.DescriptorProtos.OneofDescriptorProto;
import com.google.protobuf.DescriptorProtos.OneofOptions;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.Message;
import com.google.protobuf.UnknownFieldSet;
import dev.pipecd.wire.api.AddApplicationRequest;
import dev.pipecd.wire.api.RegisterEventRequest;
import dev.pipecd.wire.api.RenameApplicationConfigFileRequest;
import dev.pipecd.wire.api.SyncApplicationRequest;
import dev.pipecd.wire.model.ApplicationGitPath;
import dev.pipecd.wire.model.ApplicationGitRepository;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.LogBlock;
import dev.pipecd.wire.model.ProjectStaticUser;
import dev.pipecd.wire.piped.ReportDeploymentStatusChangedRequest;
import dev.pipecd.wire.piped.ReportStageLogsRequest;
import java.util.Collections;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RequestRulesTest {
    private final RequestRules rules = new RequestRules();

    @Test
    void aRequestThatKeepsTheRulesHasNoViolation() {
        assertThat(rules.check(SyncApplicationRequest.newBuilder().setApplicationId("a").build()))
                .isEmpty();
    }

    @Test
    void aViolationNamesFieldRuleValueAndExpectation() {
        assertThat(rules.check(SyncApplicationRequest.getDefaultInstance()))
                .containsExactly(
                        new Violation(
                                "application_id",
                                "string.min_len",
                                "application_id: \"\" (expected: at least 1 character)"));
    }

    @Test
    void allViolationsAreFoundAtOnceAlsoInside() {
        var request =
                AddApplicationRequest.newBuilder()
                        .setName("site")
                        .setKindValue(2)
                        .setGitPath(
                                ApplicationGitPath.newBuilder()
                                        .setRepo(ApplicationGitRepository.getDefaultInstance())
                                        .setPath("/etc"))
                        .build();

        assertThat(messages(request))
                .containsExactly(
                        "piped_id: \"\" (expected: at least 1 character)",
                        "git_path.repo.id: \"\" (expected: at least 1 character)",
                        "git_path.path: \"/etc\" (expected: text like ^[^/].+$)",
                        "kind: 2 (expected: one of KUBERNETES, TERRAFORM, LAMBDA, CLOUDRUN, ECS)");
    }

    @Test
    void aMissingMessageIsNamed() {
        var request = AddApplicationRequest.newBuilder().setName("site").setPipedId("p").build();

        assertThat(messages(request)).containsExactly("git_path: missing (expected: a value)");
    }

    @Test
    void listsAndMapsAreNamedByIndexAndKey() {
        var logs =
                ReportStageLogsRequest.newBuilder()
                        .setDeploymentId("d")
                        .setStageId("s")
                        .addBlocks(LogBlock.newBuilder().setLog("x").setCreatedAt(1))
                        .addBlocks(LogBlock.newBuilder().setLog("x"))
                        .build();
        var event =
                RegisterEventRequest.newBuilder()
                        .setName("n")
                        .setData("d")
                        .putContexts("a b", "")
                        .build();

        assertThat(messages(logs))
                .containsExactly("blocks[1].created_at: 0 (expected: more than 0)");
        assertThat(messages(event))
                .containsExactly(
                        "contexts[\"a b\"]: \"a b\" (expected: text like ^[a-zA-Z0-9]+(-[a-zA-Z0-9]+)*$)",
                        "contexts[\"a b\"]: \"\" (expected: at least 1 character)");
    }

    @Test
    void theNumberOfItemsIsLimited() {
        var none = RenameApplicationConfigFileRequest.newBuilder().setNewFilename("f").build();
        var many = none.toBuilder().addAllApplicationIds(Collections.nCopies(51, "a")).build();

        assertThat(messages(none))
                .containsExactly("application_ids: 0 items (expected: at least 1 item)");
        assertThat(messages(many))
                .containsExactly("application_ids: 51 items (expected: at most 50 items)");
    }

    @Test
    void aLongOrHostileValueIsShownShortAndOnOneLine() {
        var path = "/\u001b[2J\n\u202e\"" + "x".repeat(100);
        var request =
                AddApplicationRequest.newBuilder()
                        .setName("site")
                        .setPipedId("p")
                        .setGitPath(
                                ApplicationGitPath.newBuilder()
                                        .setRepo(ApplicationGitRepository.newBuilder().setId("r"))
                                        .setPath(path))
                        .build();

        assertThat(messages(request))
                .containsExactly(
                        "git_path.path: \"/\\u{1b}[2J\\n\\u{202e}\\\""
                                + "x".repeat(56)
                                + "…\" (expected: text like ^[^/].+$)");
    }

    @Test
    void aSecretIsNotRepeated() {
        var user = ProjectStaticUser.newBuilder().setUsername("ann").setPasswordHash("abc").build();

        assertThat(messages(user))
                .containsExactly("password_hash: (not shown) (expected: at least 6 characters)");
    }

    @Test
    void aVeryLongKeyIsCheckedWithoutHarm() {
        var request =
                RegisterEventRequest.newBuilder()
                        .setName("n")
                        .setData("d")
                        .putContexts("a-".repeat(500_000), "v")
                        .build();

        assertThat(rules.check(request)).hasSize(1);
    }

    @Test
    void aMillionBrokenItemsAreNotAllTold() {
        var request = ReportStageLogsRequest.newBuilder().setDeploymentId("d").setStageId("s");
        IntStream.range(0, 1_000_000)
                .forEach(_ -> request.addBlocks(LogBlock.getDefaultInstance()));

        assertThat(rules.check(request.build())).hasSize(100);
    }

    @Test
    void anEnumMayBeNarrowedToSomeConstants() {
        var request =
                ReportDeploymentStatusChangedRequest.newBuilder()
                        .setDeploymentId("d")
                        .setStatus(DeploymentStatus.DEPLOYMENT_SUCCESS)
                        .build();

        assertThat(messages(request))
                .containsExactly(
                        "status: 4 (expected: one of DEPLOYMENT_RUNNING, DEPLOYMENT_ROLLING_BACK)");
    }

    @Test
    void anUnknownRuleIsAnErrorOnceTheTypeIsRead() {
        var maxLen =
                FieldRules.newBuilder().setString(StringRules.newBuilder().setMaxLen(3)).build();

        assertThatThrownBy(() -> rules.check(withRules(maxLen)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(
                        "rule: string.max_len on test.M.f (expected: a rule that RuleReader checks; teach it this one)");
    }

    @Test
    void anUnknownKindOfRuleIsAnErrorToo() {
        var cel = FieldRules.newBuilder().addCelExpression("this != ''").build();
        var bytes = FieldRules.newBuilder();
        bytes.getBytesBuilder().setMinLen(1);
        var newer =
                FieldRules.newBuilder()
                        .setUnknownFields(
                                UnknownFieldSet.newBuilder()
                                        .addField(
                                                4711,
                                                UnknownFieldSet.Field.newBuilder()
                                                        .addVarint(1)
                                                        .build())
                                        .build())
                        .build();
        var items =
                FieldRules.newBuilder()
                        .setRepeated(RepeatedRules.newBuilder().setUnique(true))
                        .build();

        assertThatThrownBy(() -> rules.check(withRules(cel)))
                .hasMessageStartingWith("rule: cel_expression on test.M.f");
        assertThatThrownBy(() -> rules.check(withRules(bytes.build())))
                .hasMessageStartingWith("rule: bytes.min_len on test.M.f");
        assertThatThrownBy(() -> rules.check(withRules(newer)))
                .hasMessageStartingWith("rule: field extension on test.M.f");
        assertThatThrownBy(() -> rules.check(withRules(items)))
                .hasMessageStartingWith("rule: repeated.unique on test.M.f");
        assertThatThrownBy(() ->
                        rules.check(withRules(FieldRules.newBuilder().setRequired(true).build())))
                .hasMessageStartingWith("rule: required, but not a message on test.M.f");
    }

    @Test
    void rulesOnWholeMessagesAndOneofsAreErrors() {
        var onMessage =
                DescriptorProto.newBuilder()
                        .setName("M")
                        .setOptions(
                                MessageOptions.newBuilder()
                                        .setExtension(
                                                ValidateProto.message,
                                                MessageRules.getDefaultInstance()))
                        .build();
        var onOneof =
                DescriptorProto.newBuilder()
                        .setName("M")
                        .addOneofDecl(
                                OneofDescriptorProto.newBuilder()
                                        .setName("o")
                                        .setOptions(
                                                OneofOptions.newBuilder()
                                                        .setExtension(
                                                                ValidateProto.oneof,
                                                                OneofRules.newBuilder()
                                                                        .setRequired(true)
                                                                        .build())))
                        .addField(field().setOneofIndex(0))
                        .build();

        assertThatThrownBy(() -> rules.check(instance(onMessage)))
                .hasMessage("rule: on message test.M (expected: rules on fields only)");
        assertThatThrownBy(() -> rules.check(instance(onOneof)))
                .hasMessage("rule: on oneof test.M.o (expected: rules on fields only)");
    }

    private java.util.List<String> messages(Message message) {
        return rules.check(message).stream().map(Violation::message).toList();
    }

    private static Message withRules(FieldRules rules) {
        var options = FieldOptions.newBuilder().setExtension(ValidateProto.field, rules);
        return instance(
                DescriptorProto.newBuilder()
                        .setName("M")
                        .addField(field().setOptions(options))
                        .build());
    }

    private static FieldDescriptorProto.Builder field() {
        return FieldDescriptorProto.newBuilder()
                .setName("f")
                .setNumber(1)
                .setLabel(FieldDescriptorProto.Label.LABEL_OPTIONAL)
                .setType(FieldDescriptorProto.Type.TYPE_STRING);
    }

    private static Message instance(DescriptorProto type) {
        var file =
                FileDescriptorProto.newBuilder()
                        .setName("test.proto")
                        .setPackage("test")
                        .setSyntax("proto3")
                        .addMessageType(type)
                        .build();
        try {
            return DynamicMessage.getDefaultInstance(
                    FileDescriptor.buildFrom(file, new FileDescriptor[0])
                            .findMessageTypeByName("M"));
        } catch (DescriptorValidationException e) {
            throw new AssertionError(e);
        }
    }
}
