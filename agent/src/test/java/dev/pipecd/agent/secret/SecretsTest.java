// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.secret;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.config.Secret;
import dev.pipecd.config.SecretManagement;
import dev.pipecd.domain.Problem;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPairGenerator;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class SecretsTest {
    @TempDir Path directory;

    @Test
    void opensWhatAGoProgramSealed() {
        var secrets = new Secrets(SealedBySomebodyElse.pair());

        assertThat(secrets.open("password", SealedBySomebodyElse.sealed()))
                .asString(StandardCharsets.UTF_8)
                .isEqualTo(SealedBySomebodyElse.TEXT);
    }

    @Test
    void offersItsPublicKeyToWhoeverSeals() {
        var offered = new Secrets(SealedBySomebodyElse.pair()).offered();

        assertThat(offered.getType()).isEqualTo("KEY_PAIR");
        assertThat(offered.getPublicKey())
                .isEqualToIgnoringWhitespace(SealedBySomebodyElse.read("public-key.pem"));
    }

    @Test
    void withoutAKeyPairNothingIsOfferedAndNothingOpened() {
        var secrets = new Secrets(new SecretManagement.Unset());

        assertThat(secrets.offered().getType()).isEqualTo("NONE");
        assertThatThrownBy(() -> secrets.open("password", SealedBySomebodyElse.sealed()))
                .hasMessage("password: sealed (expected: an agent that can open it)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "%%%", "AAAA", "AQA=", "/////w=="})
    void whatIsNotSealedForThisAgentIsRefusedWithoutShowingIt(String sealed) {
        var secrets = new Secrets(SealedBySomebodyElse.pair());

        assertThatThrownBy(() -> secrets.open("password", sealed))
                .isInstanceOf(Problem.class)
                .hasNoCause()
                .hasMessage(
                        "password: not sealed for this agent (expected: what `pipectl encrypt`"
                                + " prints for it)");
    }

    @Test
    void aSingleChangedBitIsNoticed() {
        var sealed = Base64.getDecoder().decode(SealedBySomebodyElse.sealed().strip());
        sealed[sealed.length - 1] ^= 1;

        assertThatThrownBy(() ->
                        new Secrets(SealedBySomebodyElse.pair())
                                .open("password", Base64.getEncoder().encodeToString(sealed)))
                .hasMessageStartingWith("password: not sealed for this agent");
    }

    @Test
    void keysOfTwoPairsAreRefusedAtOnce() throws Exception {
        var other = KeyPairGenerator.getInstance("RSA").generateKeyPair().getPublic();
        var pem =
                "-----BEGIN PUBLIC KEY-----\n%s\n-----END PUBLIC KEY-----\n"
                        .formatted(Base64.getEncoder().encodeToString(other.getEncoded()));
        var file = Files.writeString(directory.resolve("public"), pem);

        assertThatThrownBy(() ->
                        new Secrets(
                                new SecretManagement.KeyPair(
                                        SealedBySomebodyElse.pair().privateKey(),
                                        Secret.inFile("publicKeyFile", file.toString()))))
                .hasMessage(
                        "secretManagement.config.publicKey: ****** (expected: the public key of"
                                + " privateKey)");
    }

    @Test
    void aKeyOfAnotherFormIsRefusedWithTheCommandThatMakesOne() throws Exception {
        var file = Files.writeString(directory.resolve("private"), "ssh-rsa AAAA");

        assertThatThrownBy(() ->
                        new Secrets(
                                new SecretManagement.KeyPair(
                                        Secret.inFile("privateKeyFile", file.toString()),
                                        SealedBySomebodyElse.pair().publicKey())))
                .hasMessage(
                        "secretManagement.config.privateKey: ****** (expected: an RSA key in PEM"
                                + " that begins with -----BEGIN PRIVATE KEY-----)")
                .extracting(e -> ((Problem) e).advice())
                .asString()
                .contains("openssl genpkey");
    }

    @Test
    void theKeyManagementOfGoogleIsSaidNotToBeThere() {
        assertThatThrownBy(() ->
                        new Secrets(new SecretManagement.GcpKms("k", Secret.none(), Secret.none())))
                .hasMessage("secretManagement.type: GCP_KMS (expected: KEY_PAIR)");
    }
}
