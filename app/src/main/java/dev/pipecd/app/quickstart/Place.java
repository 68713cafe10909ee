// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.app.quickstart;

import java.nio.file.Path;

/// Where one quickstart keeps everything: fixed names under one folder, so that people and scripts
/// find them.
record Place(Path data, int port) {
    Place {
        data = data.toAbsolutePath().normalize();
    }

    Path controlPlaneConfig() {
        return data.resolve("control-plane.yaml");
    }

    Path controlPlaneData() {
        return data.resolve("control-plane");
    }

    Path encryptionKey() {
        return data.resolve("encryption-key");
    }

    Path webhookSecret() {
        return data.resolve("webhook-secret");
    }

    Path pipedConfig() {
        return data.resolve("piped.yaml");
    }

    Path pipedKey() {
        return data.resolve("piped-key");
    }

    Path pipedData() {
        return data.resolve("piped");
    }

    Path apiKey() {
        return data.resolve("api-key");
    }

    Path repository() {
        return data.resolve("repo");
    }

    Path published() {
        return data.resolve("published");
    }

    Path log(String program) {
        return data.resolve("logs").resolve(program + ".log");
    }

    /// What is only true while a quickstart runs: its lock, its children's process ids, its port.
    Path running(String name) {
        return data.resolve("run").resolve(name);
    }

    String address() {
        return "localhost:" + port;
    }
}
