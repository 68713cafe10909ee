// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.report;

import dev.pipecd.wire.link.LeaseRequest;
import dev.pipecd.wire.link.LinkServiceGrpc;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// Where leases are kept. Throws a `Problem` when it cannot be reached.
public interface LeaseOffice {
    /// Who holds it; empty when leases are not offered.
    Optional<Hold> stands();

    /// Gives it to `holder` if `seen` still stands; answers what stands then.
    Hold take(Hold seen, String holder);

    /// @param holder empty when nobody holds it
    /// @param term grows with every change
    record Hold(String holder, long term) {
        static final Hold NOBODYS = new Hold("", 0);
    }

    /// At the control plane.
    ///
    /// @param life of a lease: who waits for an answer for most of it would seem to stand still
    static LeaseOffice at(ControlPlaneClient client, Duration life) {
        var quarter = life.dividedBy(4);
        var patience = client.patience().compareTo(quarter) < 0 ? client.patience() : quarter;
        return new LeaseOffice() {
            @Override
            public Optional<Hold> stands() {
                try {
                    return Optional.of(asked(LeaseRequest.getDefaultInstance()));
                } catch (StatusRuntimeException e) {
                    if (e.getStatus().getCode() != Status.Code.UNIMPLEMENTED)
                        throw client.problem(e);
                    // A proxy that does not know the way says the same; then this fails too.
                    client.commands();
                    return Optional.empty();
                }
            }

            @Override
            public Hold take(Hold seen, String holder) {
                try {
                    return asked(
                            LeaseRequest.newBuilder().setSeen(wire(seen)).setNext(holder).build());
                } catch (StatusRuntimeException e) {
                    throw client.problem(e);
                }
            }

            private Hold asked(LeaseRequest request) {
                var stands =
                        LinkServiceGrpc.newBlockingStub(client.channel())
                                .withDeadlineAfter(patience.toMillis(), TimeUnit.MILLISECONDS)
                                .lease(request);
                client.answered();
                return new Hold(stands.getHolder(), stands.getTerm());
            }
        };
    }

    private static dev.pipecd.wire.link.Hold wire(Hold hold) {
        return dev.pipecd.wire.link.Hold.newBuilder()
                .setHolder(hold.holder())
                .setTerm(hold.term())
                .build();
    }
}
