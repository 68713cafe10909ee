// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.app.quickstart;

import java.nio.file.Path;
import java.util.List;

/// How server and agent are started from the distribution: loopback only, and no port but the one
/// people know is fixed.
record Programs(Path home, Place place) {
    Child.Program server() {
        var command =
                List.of(
                        bin("pipecd"),
                        "server",
                        "--config-file=" + place.controlPlaneConfig(),
                        "--encryption-key-file=" + place.encryptionKey(),
                        "--static-dir=" + home.resolve("web/static"),
                        "--host=127.0.0.1",
                        "--gateway-port=" + place.port(),
                        "--piped-api-port=-1",
                        "--web-api-port=-1",
                        "--http-port=-1",
                        "--api-port=-1",
                        "--envoy-authz-port=-1",
                        "--admin-port=0",
                        "--grace-period=5s",
                        "--log-encoding=console",
                        "--insecure-cookie=true");
        return new Child.Program(
                "control plane", command, place.log("server"), place.running("server.pid"));
    }

    Child.Program agent() {
        var command =
                List.of(
                        bin("piped"),
                        "run",
                        "--config-file=" + place.pipedConfig(),
                        "--insecure",
                        "--data-dir=" + place.pipedData(),
                        "--admin-port=0",
                        "--plugin-service-port=0",
                        "--log-encoding=console");
        return new Child.Program("agent", command, place.log("agent"), place.running("agent.pid"));
    }

    String bin(String name) {
        return home.resolve("bin").resolve(name).toString();
    }
}
