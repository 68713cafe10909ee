// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.doctor;

import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.SessionProtocol;
import com.linecorp.armeria.server.Server;
import dev.pipecd.controlplane.server.Ports;
import java.util.Optional;
import java.util.function.Supplier;

/// Whether a server can open its ports with the certificate and the key it is given.
///
/// @param given empty without `--tls`
public record TlsLook(Supplier<Optional<Ports.Tls>> given) implements Check.Look {
    @Override
    public Finding now() {
        return given.get()
                .map(TlsLook::loaded)
                .orElseGet(() -> Finding.skipped("--tls is not given"));
    }

    /// As the server does, which is built and not started.
    private static Finding loaded(Ports.Tls tls) {
        try (var _ =
                Server.builder()
                        .port(0, SessionProtocol.HTTPS)
                        .tls(tls.certificate(), tls.key())
                        .service("/", (_, _) -> HttpResponse.of(200))
                        .build()) {
            return Finding.ok("%s and %s fit".formatted(tls.certificate(), tls.key()));
        } catch (RuntimeException e) {
            return Finding.failed(
                    "--cert-file, --key-file: %s (expected: a certificate and its key in PEM form)"
                            .formatted(e.getMessage()),
                    "Check that both files exist, may be read and belong together.");
        }
    }
}
