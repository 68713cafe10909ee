// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config;

/// What the agent decrypts the secrets of applications with.
public sealed interface SecretManagement {

    /// Not written: applications with encrypted secrets cannot be deployed.
    record Unset() implements SecretManagement {}

    record KeyPair(Secret privateKey, Secret publicKey) implements SecretManagement {}

    record GcpKms(String keyName, Secret decryptServiceAccount, Secret encryptServiceAccount)
            implements SecretManagement {}
}
