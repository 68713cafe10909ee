// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.door;

import com.google.protobuf.Message;
import io.grpc.stub.StreamObserver;

/// The one answer of a call.
public final class Reply {
    private Reply() {}

    public static <T extends Message> void with(StreamObserver<T> caller, T answer) {
        caller.onNext(answer);
        caller.onCompleted();
    }
}
