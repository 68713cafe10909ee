// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.door;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import com.google.protobuf.UnknownFieldSet;
import io.grpc.stub.StreamObserver;
import java.util.List;

/// The one answer of a call.
public final class Reply {
    private Reply() {}

    public static <T extends Message> void with(StreamObserver<T> caller, T answer) {
        caller.onNext(answer);
        caller.onCompleted();
    }

    /// A list of messages that are written already: the same bytes on the wire as with the messages
    /// themselves.
    public static UnknownFieldSet list(int field, List<ByteString> written) {
        var list = UnknownFieldSet.Field.newBuilder();
        written.forEach(list::addLengthDelimited);
        return UnknownFieldSet.newBuilder().addField(field, list.build()).build();
    }
}
