// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import dev.pipecd.domain.Problem;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;

/// A call whose answer is counted before it is taken apart: what comes in 4 MiB can be a million
/// things without content, and these take more memory than the agent has.
///
/// @param what is counted
/// @param fields where it is in the answer: the field that holds it, after those it is inside
record CountedCall<Q, A>(
        MethodDescriptor<Q, A> method, String what, int most, List<Integer> fields) {
    /// The public agent takes no more of a plugin either.
    static final int LARGEST = 4 << 20;

    CountedCall {
        fields = List.copyOf(fields);
    }

    A make(String plugin, Channel channel, CallOptions options, Q request) {
        var answer = answer(plugin, channel, options, request);
        var count = count(plugin, answer);
        if (count > most)
            throw tooMuch(plugin, "%d %s".formatted(count, what), "at most %d".formatted(most));
        return method.parseResponse(new ByteArrayInputStream(answer));
    }

    private byte[] answer(String plugin, Channel channel, CallOptions options, Q request) {
        var raw = method.toBuilder(method.getRequestMarshaller(), new Bytes()).build();
        var limited = options.withMaxInboundMessageSize(LARGEST);
        try {
            return ClientCalls.blockingUnaryCall(channel, raw, limited, request);
        } catch (StatusRuntimeException e) {
            var said = String.valueOf(e.getStatus().getDescription());
            if (e.getStatus().getCode() == Status.Code.RESOURCE_EXHAUSTED
                    && said.startsWith("gRPC message exceeds maximum size"))
                throw tooMuch(plugin, "a larger answer", "at most %d bytes".formatted(LARGEST));
            throw e;
        }
    }

    private Problem tooMuch(String plugin, String told, String expected) {
        return new Problem(
                Problem.Code.PLUGIN_UNAVAILABLE,
                "plugin %s: %s (expected: %s)".formatted(plugin, told, expected),
                "Divide the application, or let the plugin tell less of it.");
    }

    private int count(String plugin, byte[] answer) {
        try {
            return count(CodedInputStream.newInstance(answer), 0);
        } catch (IOException e) {
            throw new Problem(
                    Problem.Code.PLUGIN_UNAVAILABLE,
                    "plugin %s: %s (expected: an answer of the protocol)"
                            .formatted(plugin, e.getMessage()),
                    "Start another version of the plugin.",
                    e);
        }
    }

    private int count(CodedInputStream in, int depth) throws IOException {
        var count = 0;
        for (var tag = in.readTag(); tag != 0; tag = in.readTag()) {
            var within =
                    WireFormat.getTagFieldNumber(tag) == fields.get(depth)
                            && WireFormat.getTagWireType(tag)
                                    == WireFormat.WIRETYPE_LENGTH_DELIMITED;
            if (within && depth + 1 < fields.size()) {
                var outer = in.pushLimit(in.readRawVarint32());
                count += count(in, depth + 1);
                in.popLimit(outer);
            } else {
                if (within) count++;
                var _ = in.skipField(tag);
            }
        }
        return count;
    }

    private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
