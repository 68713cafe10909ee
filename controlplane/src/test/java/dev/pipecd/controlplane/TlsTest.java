// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.controlplane.server.Ports;
import dev.pipecd.wire.piped.ListUnhandledCommandsRequest;
import dev.pipecd.wire.piped.PipedServiceGrpc;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.io.File;
import java.io.FileInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TlsTest {
    private static final Base64.Encoder PEM = Base64.getMimeEncoder(64, new byte[] {'\n'});
    @TempDir private Path folder;
    private File certificate;
    private File key;

    @BeforeEach
    void makeCertificate() throws Exception {
        var store = folder.resolve("store.p12");
        var keytool =
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                        "-genkeypair",
                        "-alias",
                        "server",
                        "-keyalg",
                        "EC",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        "changeit",
                        "-dname",
                        "CN=localhost",
                        "-ext",
                        "san=dns:localhost,ip:127.0.0.1");
        assertThat(new ProcessBuilder(keytool).inheritIO().start().waitFor()).isZero();
        var keys = KeyStore.getInstance("PKCS12");
        try (var in = new FileInputStream(store.toFile())) {
            keys.load(in, "changeit".toCharArray());
        }
        certificate =
                pem("certificate.pem", "CERTIFICATE", keys.getCertificate("server").getEncoded());
        key =
                pem(
                        "key.pem",
                        "PRIVATE KEY",
                        keys.getKey("server", "changeit".toCharArray()).getEncoded());
    }

    @Test
    void gatewayAndGrpcPortsSpeakTlsWhileAdminDoesNot() throws Exception {
        var choices = RunningServer.Choices.usual().with(new Ports.Tls(certificate, key));
        try (var server = RunningServer.start(choices)) {
            assertThat(calls(server.port("gateway"))).isEqualTo("piped-1");
            assertThat(calls(server.port("piped API"))).isEqualTo("piped-1");
            assertThat(server.get("admin", "/healthz").body()).isEqualTo("ok");
        }
    }

    private String calls(int port) throws Exception {
        ManagedChannel channel =
                NettyChannelBuilder.forAddress("localhost", port)
                        .sslContext(GrpcSslContexts.forClient().trustManager(certificate).build())
                        .build();
        try {
            return PipedServiceGrpc.newBlockingStub(
                            RunningServer.withHeaders(
                                    channel, "authorization", RunningServer.token("piped-1")))
                    .listUnhandledCommands(ListUnhandledCommandsRequest.getDefaultInstance())
                    .getCommands(0)
                    .getPipedId();
        } finally {
            channel.shutdownNow();
        }
    }

    private File pem(String name, String type, byte[] content) throws Exception {
        var text =
                "-----BEGIN %s-----\n%s\n-----END %s-----\n"
                        .formatted(type, PEM.encodeToString(content), type);
        return Files.writeString(folder.resolve(name), text).toFile();
    }
}
