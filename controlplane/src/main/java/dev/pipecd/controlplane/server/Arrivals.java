// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.server;

import dev.pipecd.controlplane.server.Bodies.Body;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledHeapByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.channel.CombinedChannelDuplexHandler;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionAdapter;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameListenerDecorator;
import io.netty.handler.codec.http2.Http2Stream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Tells [Bodies] what a connection brings, and [Unsent] what leaves it. Armeria gathers the
/// request of a unary call before it asks anybody, so this stands in front of it.
final class Arrivals extends ChannelInboundHandlerAdapter {
    /// So many bytes of a connection tell whether it is HTTP/2.
    private static final int TELLING = 4;

    /// Who serves these reads them as they come and keeps little, however large they are.
    private static final Pattern PASSING = Pattern.compile("/webhook/[a-z]+");

    /// So many bytes of an answer leave together.
    private static final int PART = 64 * 1024;

    private final Bodies bodies;
    private final Unsent unsent;
    private boolean countsMessages;
    private boolean countsFrames;

    Arrivals(Bodies bodies, Unsent unsent) {
        this.bodies = bodies;
        this.unsent = unsent;
    }

    /// Where TLS tells which protocol is spoken.
    @Override
    public void userEventTriggered(ChannelHandlerContext connection, Object event) {
        connection.fireUserEventTriggered(event);
        look(connection.pipeline());
    }

    /// Which protocol is spoken is known by what was read first, and may change once. Nothing is to
    /// be asked before that is seen.
    @Override
    public void channelRead(ChannelHandlerContext connection, Object read) {
        if (!countsMessages && read instanceof ByteBuf first && first.readableBytes() > TELLING) {
            connection.fireChannelRead(first.readRetainedSlice(TELLING));
            look(connection.pipeline());
        }
        connection.fireChannelRead(read);
        look(connection.pipeline());
    }

    private void look(ChannelPipeline pipeline) {
        if (countsFrames) return;
        var http2 = pipeline.get(Http2ConnectionHandler.class);
        if (http2 != null) {
            countsFrames = true;
            Frames.count(bodies, http2, pipeline.context(http2));
            Departures.count(unsent, http2, pipeline.context(http2));
            pipeline.remove(this);
            return;
        }
        // Armeria has a codec of its own, known by what it is made from
        var http1 = countsMessages ? null : pipeline.context(CombinedChannelDuplexHandler.class);
        if (http1 == null) return;
        pipeline.addAfter(http1.name(), null, new Messages());
        countsMessages = true;
    }

    /// What is kept of a piece must not keep all that was read together with it.
    private static ByteBuf alone(ByteBuf piece) {
        return piece.copy();
    }

    /// A piece that tells when its reader is through with it.
    private static final class Passing extends UnpooledHeapByteBuf {
        private final Body body;
        private final int bytes;

        Passing(ByteBuf piece, Body body) {
            super(piece.alloc(), piece.readableBytes(), piece.readableBytes());
            this.body = body;
            this.bytes = piece.readableBytes();
            writeBytes(piece, piece.readerIndex(), bytes);
        }

        @Override
        protected void deallocate() {
            super.deallocate();
            body.taken(bytes);
        }
    }

    /// The requests of an HTTP/2 connection.
    private static final class Frames extends Http2FrameListenerDecorator {
        private final Bodies bodies;
        private final Http2ConnectionHandler handler;
        private final ChannelHandlerContext connection;
        private final Http2Connection.PropertyKey body;

        private Frames(
                Bodies bodies, Http2ConnectionHandler handler, ChannelHandlerContext connection) {
            super(handler.decoder().frameListener());
            this.bodies = bodies;
            this.handler = handler;
            this.connection = connection;
            this.body = handler.connection().newKey();
        }

        static void count(
                Bodies bodies, Http2ConnectionHandler handler, ChannelHandlerContext connection) {
            var frames = new Frames(bodies, handler, connection);
            handler.decoder().frameListener(frames);
            handler.connection()
                    .addListener(
                            new Http2ConnectionAdapter() {
                                @Override
                                public void onStreamActive(Http2Stream stream) {
                                    if (stream.state() == Http2Stream.State.OPEN)
                                        frames.begin(stream);
                                }

                                /// Also by what follows a body.
                                @Override
                                public void onStreamHalfClosed(Http2Stream stream) {
                                    @Nullable Body known = stream.getProperty(frames.body);
                                    if (known != null
                                            && stream.state()
                                                    == Http2Stream.State.HALF_CLOSED_REMOTE)
                                        known.whole();
                                }

                                @Override
                                public void onStreamClosed(Http2Stream stream) {
                                    Body closed = stream.removeProperty(frames.body);
                                    if (closed != null) closed.gone();
                                }
                            });
            try {
                handler.connection()
                        .forEachActiveStream(stream -> {
                            if (stream.state() == Http2Stream.State.OPEN) frames.begin(stream);
                            return true;
                        });
            } catch (Http2Exception e) {
                throw new IllegalStateException(e); // nobody here throws one
            }
        }

        private void begin(Http2Stream stream) {
            var id = stream.id();
            stream.setProperty(
                    body, bodies.begun(() -> connection.executor().execute(() -> giveUp(id))));
        }

        /// Told so that a client may ask again: nobody has begun with it.
        private void giveUp(int id) {
            if (handler.connection().stream(id) == null) return;
            handler.resetStream(
                    connection, id, Http2Error.REFUSED_STREAM.code(), connection.newPromise());
            connection.flush();
        }

        @Override
        public int onDataRead(
                ChannelHandlerContext from, int id, ByteBuf piece, int padding, boolean last)
                throws Http2Exception {
            var stream = handler.connection().stream(id);
            @Nullable Body known = stream == null ? null : stream.getProperty(body);
            if (known == null) return super.onDataRead(from, id, piece, padding, last);
            if (!known.brought(piece.readableBytes())) return piece.readableBytes() + padding;
            if (last) {
                known.whole();
                return super.onDataRead(from, id, piece, padding, true);
            }
            var own = alone(piece);
            try {
                return super.onDataRead(from, id, own, padding, false);
            } finally {
                own.release();
            }
        }
    }

    /// The requests of an HTTP/1 connection, which are answered one after the other.
    private final class Messages extends ChannelDuplexHandler {
        private final Deque<Body> unanswered = new ArrayDeque<>();
        private Unsent.@Nullable Answer leaving;

        @Override
        public void channelRead(ChannelHandlerContext connection, Object message) {
            if (message instanceof HttpRequest head) {
                var begun = begin(connection);
                if (PASSING.matcher(head.uri()).matches()) begun.pass();
            }
            connection.fireChannelRead(
                    message instanceof HttpContent piece ? counted(connection, piece) : message);
            look(connection.pipeline()); // it may have asked for HTTP/2, and go on with that
        }

        private Body begin(ChannelHandlerContext connection) {
            var begun = bodies.begun(connection.channel()::close);
            unanswered.add(begun);
            return begun;
        }

        private HttpContent counted(ChannelHandlerContext connection, HttpContent piece) {
            var bytes = piece.content().readableBytes();
            var last = piece instanceof LastHttpContent;
            if (bytes == 0 && (unanswered.isEmpty() || !last)) return piece;
            var body = unanswered.isEmpty() ? begin(connection) : unanswered.getLast();
            if (bytes > 0) body.brought(bytes);
            if (last) {
                body.whole();
                // its answer leaves in another form, which does not pass here
                if (connection.pipeline().get(Http2ConnectionHandler.class) != null) body.gone();
                return piece;
            }
            try {
                return piece.replace(
                        body.passes()
                                ? new Passing(piece.content(), body)
                                : alone(piece.content()));
            } finally {
                piece.release();
            }
        }

        @Override
        public void write(ChannelHandlerContext connection, Object message, ChannelPromise done) {
            if (message instanceof LastHttpContent && !isAhead(message)) {
                var answered = unanswered.poll();
                if (answered != null) answered.gone();
            }
            if (message instanceof HttpContent piece && piece.content().isReadable())
                leave(connection, piece, done);
            else connection.write(message, done);
        }

        /// In parts, each of which is seen to leave. One answer leaves after the other, so that
        /// they wait as one.
        private void leave(
                ChannelHandlerContext connection, HttpContent piece, ChannelPromise done) {
            if (leaving == null) {
                var channel = connection.channel();
                leaving =
                        unsent.connection()
                                .answer(() -> channel.eventLoop().execute(() -> closeNow(channel)));
            }
            var answer = leaving;
            var content = piece.content();
            answer.waits(content.readableBytes());
            while (!(piece instanceof HttpResponse) && content.readableBytes() > PART)
                connection.write(
                        new DefaultHttpContent(content.readRetainedSlice(PART)),
                        connection.newPromise().addListener(_ -> answer.left(PART)));
            var rest = content.readableBytes();
            connection.write(piece, done.unvoid().addListener(_ -> answer.left(rest)));
        }

        /// Without a farewell, which would wait behind what is not taken.
        private static void closeNow(Channel channel) {
            channel.unsafe().close(channel.newPromise());
        }

        /// `100 Continue` and the like are no answer yet.
        private static boolean isAhead(Object message) {
            return message instanceof HttpResponse head
                    && head.status().codeClass() == HttpStatusClass.INFORMATIONAL;
        }

        @Override
        public void channelInactive(ChannelHandlerContext connection) {
            unanswered.forEach(Body::gone);
            unanswered.clear();
            connection.fireChannelInactive();
        }
    }
}
