// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.secret;

import dev.pipecd.config.SecretManagement;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.Piped;

/// Opens what was sealed for this agent. The private key is read each time, so that a rotated file
/// is seen.
public final class Secrets {
    private final SecretManagement management;

    /// A key pair that cannot be used is a `Problem` now, not in the first deployment.
    public Secrets(SecretManagement management) {
        this.management = management;
        switch (management) {
            case SecretManagement.Unset() -> {}
            case SecretManagement.KeyPair pair -> KeyPairBox.of(pair).requireMatching();
            case SecretManagement.GcpKms _ ->
                    throw new Problem(
                            Problem.Code.SETTING_INVALID,
                            "secretManagement.type: GCP_KMS (expected: KEY_PAIR)",
                            "No control plane seals secrets for it; make a key pair, and seal the secrets"
                                    + " again with `pipectl encrypt`.");
        }
    }

    /// What the control plane must know to seal secrets for this agent.
    public Piped.SecretEncryption offered() {
        return switch (management) {
            case SecretManagement.KeyPair(_, var publicKey) ->
                    Piped.SecretEncryption.newBuilder()
                            .setType("KEY_PAIR")
                            .setPublicKey(publicKey.reveal())
                            .build();
            case SecretManagement.Unset(), SecretManagement.GcpKms _ ->
                    Piped.SecretEncryption.newBuilder().setType("NONE").build();
        };
    }

    /// @param name what people call the secret
    public byte[] open(String name, String sealed) {
        return switch (management) {
            case SecretManagement.KeyPair pair -> KeyPairBox.of(pair).open(name, sealed);
            case SecretManagement.Unset(), SecretManagement.GcpKms _ ->
                    throw new Problem(
                            Problem.Code.PRECONDITION_FAILED,
                            "%s: sealed (expected: an agent that can open it)".formatted(name),
                            "Give the agent a key pair under `secretManagement:` and start it again.");
        };
    }
}
