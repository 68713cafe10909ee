// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.server;

import dev.pipecd.controlplane.server.Unsent.Answer;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionAdapter;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2RemoteFlowController;
import io.netty.handler.codec.http2.Http2Stream;
import org.jspecify.annotations.Nullable;

/// Tells [Unsent] what the answers of an HTTP/2 connection bring and what of them left: stands
/// where they wait until their caller has room for them.
final class Departures implements Http2RemoteFlowController {
    private final Unsent.Connection unsent;
    private final Http2ConnectionHandler handler;
    private final ChannelHandlerContext connection;
    private final Http2RemoteFlowController queue;
    private final Http2Connection.PropertyKey answer;

    private Departures(
            Unsent unsent, Http2ConnectionHandler handler, ChannelHandlerContext connection) {
        this.unsent = unsent.connection();
        this.handler = handler;
        this.connection = connection;
        this.queue = handler.connection().remote().flowController();
        this.answer = handler.connection().newKey();
    }

    static void count(
            Unsent unsent, Http2ConnectionHandler handler, ChannelHandlerContext connection) {
        var departures = new Departures(unsent, handler, connection);
        handler.connection().remote().flowController(departures);
        handler.connection()
                .addListener(
                        new Http2ConnectionAdapter() {
                            @Override
                            public void onStreamClosed(Http2Stream stream) {
                                Answer closed = stream.removeProperty(departures.answer);
                                if (closed != null) closed.gone();
                            }
                        });
    }

    @Override
    public void addFlowControlled(Http2Stream stream, FlowControlled piece) {
        @Nullable Answer known = stream.getProperty(answer);
        if (known == null) {
            var id = stream.id();
            known = unsent.answer(() -> connection.executor().execute(() -> giveUp(id)));
            stream.setProperty(answer, known);
        }
        known.waits(piece.size());
        queue.addFlowControlled(stream, new Counted(piece, known));
    }

    /// The others on this connection may be well. Whether it takes anything at all is for [Stalls].
    private void giveUp(int id) {
        if (handler.connection().stream(id) == null) return;
        handler.resetStream(connection, id, Http2Error.CANCEL.code(), connection.newPromise());
        connection.flush();
    }

    @Override
    public @Nullable ChannelHandlerContext channelHandlerContext() {
        return queue.channelHandlerContext();
    }

    @Override
    public void channelHandlerContext(ChannelHandlerContext context) throws Http2Exception {
        queue.channelHandlerContext(context);
    }

    @Override
    public boolean hasFlowControlled(Http2Stream stream) {
        return queue.hasFlowControlled(stream);
    }

    @Override
    public void writePendingBytes() throws Http2Exception {
        queue.writePendingBytes();
    }

    @Override
    public void listener(Listener listener) {
        queue.listener(listener);
    }

    @Override
    public boolean isWritable(Http2Stream stream) {
        return queue.isWritable(stream);
    }

    @Override
    public void channelWritabilityChanged() throws Http2Exception {
        queue.channelWritabilityChanged();
    }

    @Override
    public void updateDependencyTree(int child, int parent, short weight, boolean exclusive) {
        queue.updateDependencyTree(child, parent, weight, exclusive);
    }

    @Override
    public void initialWindowSize(int size) throws Http2Exception {
        queue.initialWindowSize(size);
    }

    @Override
    public int initialWindowSize() {
        return queue.initialWindowSize();
    }

    @Override
    public int windowSize(Http2Stream stream) {
        return queue.windowSize(stream);
    }

    @Override
    public void incrementWindowSize(Http2Stream stream, int more) throws Http2Exception {
        queue.incrementWindowSize(stream, more);
    }

    /// A piece of an answer, which may leave in parts.
    private record Counted(FlowControlled piece, Answer answer) implements FlowControlled {
        @Override
        public int size() {
            return piece.size();
        }

        @Override
        public void write(ChannelHandlerContext connection, int allowed) {
            var before = piece.size();
            piece.write(connection, allowed);
            answer.left(before - piece.size());
        }

        @Override
        public void error(ChannelHandlerContext connection, @Nullable Throwable cause) {
            answer.left(piece.size());
            piece.error(connection, cause);
        }

        @Override
        public void writeComplete() {
            piece.writeComplete();
        }

        @Override
        public boolean merge(ChannelHandlerContext connection, FlowControlled next) {
            return false;
        }
    }
}
