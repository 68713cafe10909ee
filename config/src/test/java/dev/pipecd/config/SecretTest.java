// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pipecd.domain.Problem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SecretTest {
    @TempDir Path folder;

    @Test
    void aSecretIsNeitherPrintedNorWrittenAsJson() throws Exception {
        var secret = Secret.written("password", "hunter2");

        assertThat(secret.reveal()).isEqualTo("hunter2");
        assertThat(List.of(secret)).hasToString("[******]");
        assertThat(new ObjectMapper().writeValueAsString(List.of(secret)))
                .isEqualTo("[\"******\"]");
    }

    @Test
    void nothingWrittenIsNotSetAndRevealsNothing() {
        assertThat(Secret.written("password", "").isSet()).isFalse();
        assertThat(Secret.none().reveal()).isEmpty();
        assertThat(Secret.none()).hasToString("");
    }

    @Test
    void anEnvironmentVariableIsFollowed() {
        assertThat(Secret.written("password", "env:PATH").reveal())
                .isEqualTo(System.getenv("PATH"));
    }

    @Test
    void aMissingEnvironmentVariableIsTheOperatorsMove() {
        assertThatThrownBy(() -> Secret.written("spec.stateKey", "env:PIPECD_NO_SUCH").reveal())
                .isInstanceOfSatisfying(
                        Problem.class,
                        problem ->
                                assertThat(problem.code()).isEqualTo(Problem.Code.SETTING_INVALID))
                .hasMessage(
                        "spec.stateKey: env:PIPECD_NO_SUCH (expected: an environment variable that is set)");
    }

    @Test
    void aFileIsFollowedWithoutItsLastNewlineAndSeenWhenItChanges() throws Exception {
        var file = Files.writeString(folder.resolve("key"), "first \r\n\n");
        var secret = Secret.written("password", "file:" + file);

        assertThat(secret.reveal()).isEqualTo("first ");
        Files.writeString(file, "second");
        assertThat(secret.reveal()).isEqualTo("second");
    }

    @Test
    void aMissingFileIsNamed() {
        var file = folder.resolve("absent");

        assertThatThrownBy(() -> Secret.inFile("spec.pipedKeyFile", file.toString()).reveal())
                .isInstanceOf(Problem.class)
                .hasMessage(
                        "spec.pipedKeyFile: file:"
                                + file
                                + " (expected: a file this process may read)");
    }

    @Test
    void aFileWithoutEndIsNotReadToItsEnd() {
        assertThatThrownBy(() -> Secret.inFile("key", "/dev/zero").reveal())
                .hasMessage("key: file:/dev/zero (expected: at most 1048576 bytes)");
    }

    @Test
    void aPathThatIsNoneIsAProblemToo() {
        assertThatThrownBy(() -> Secret.written("key", "file:a\0b").reveal())
                .isInstanceOf(Problem.class);
    }

    @Test
    void base64IsDecodedAlsoAcrossLinesAndBehindReferences() throws Exception {
        var file = Files.writeString(folder.resolve("key"), "aHVu\ndGVyMg==\n");

        assertThat(Secret.written("key", "file:" + file).base64().reveal()).isEqualTo("hunter2");
    }

    @Test
    void whatIsNotBase64IsRefusedWithoutQuotingIt() {
        assertThatThrownBy(() -> Secret.written("key", "hunter2!").base64().reveal())
                .isInstanceOf(Problem.class)
                .hasMessage("key: ****** (expected: Base64)")
                .hasNoCause();
    }

    @Test
    void aKeyIsTrimmedAfterDecoding() {
        assertThat(Secret.written("key", "IGtleQo=").base64().stripped().reveal()).isEqualTo("key");
    }
}
