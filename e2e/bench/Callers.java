// SPDX-License-Identifier: Apache-2.0
package bench;

import com.google.protobuf.MessageLite;
import io.grpc.MethodDescriptor;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Exception;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.DoubleStream;

/// gRPC connections with one call in flight each, all driven by one thread that only writes requests made ready before and
/// reads how they ended: what is measured is the server and not its load.
final class Callers implements AutoCloseable {
    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int RESET = 3;
    private static final int SETTINGS = 4;
    private static final int PING = 6;
    private static final int GO_AWAY = 7;
    private static final int WINDOW_UPDATE = 8;
    private static final int END_STREAM = 1;
    private static final int ACKNOWLEDGED = 1;
    private static final int END_HEADERS = 4;
    private static final int FRAME_HEAD = 9;
    private static final int LARGEST_FRAME = 1 << 14;
    private static final int LARGEST_WINDOW = Integer.MAX_VALUE;
    private static final int USUAL_WINDOW = 65_535;

    private final List<Connection> connections = new ArrayList<>();
    private final Selector selector;

    private Callers() throws IOException {
        selector = Selector.open();
    }

    /// @param sources for each connection where its next call comes from
    static Callers connect(int port, List<? extends Supplier<Call>> sources) throws IOException {
        var callers = new Callers();
        for (var source : sources) {
            var connection = new Connection(port, source);
            connection.channel.register(callers.selector, SelectionKey.OP_READ, connection);
            callers.connections.add(connection);
        }
        return callers;
    }

    /// Milliseconds of each call, by as many of the connections as are told.
    double[] load(int inFlight, long nanoseconds) throws IOException, Http2Exception {
        var calling = connections.subList(0, inFlight);
        var end = System.nanoTime() + nanoseconds;
        for (var connection : calling) connection.begin(end);
        while (calling.stream().anyMatch(c -> c.waiting)) {
            selector.select();
            for (var key : selector.selectedKeys()) ((Connection) key.attachment()).read(end);
            selector.selectedKeys().clear();
        }
        return calling.stream().flatMapToDouble(c -> DoubleStream.of(c.times())).toArray();
    }

    @Override
    public void close() throws IOException {
        for (var connection : connections) connection.channel.close();
        selector.close();
    }

    /// A method as one caller calls it.
    static final class Method<Q extends MessageLite> {
        private final byte[] headers;

        Method(MethodDescriptor<Q, ?> method, String authorization) {
            var block = new ByteArrayOutputStream();
            block.writeBytes(new byte[] {(byte) 0x83, (byte) 0x86}); // :method POST, :scheme http
            literal(block, ":path", "/" + method.getFullMethodName());
            literal(block, ":authority", "localhost");
            literal(block, "content-type", "application/grpc");
            literal(block, "te", "trailers");
            literal(block, "authorization", authorization);
            headers = block.toByteArray();
        }

        private static void literal(ByteArrayOutputStream block, String name, String value) {
            block.write(0);
            for (var text : List.of(name, value)) {
                var bytes = text.getBytes(StandardCharsets.US_ASCII);
                var rest = bytes.length - 127;
                block.write(Math.min(bytes.length, 127));
                for (; rest >= 128; rest >>= 7) block.write(rest & 127 | 128);
                if (bytes.length >= 127) block.write(rest);
                block.writeBytes(bytes);
            }
        }

        Call with(Q message) {
            var length = message.getSerializedSize();
            if (Math.max(headers.length, length + 5) > LARGEST_FRAME) throw new IllegalArgumentException("message: too large for one frame");
            var frames = ByteBuffer.allocate(2 * FRAME_HEAD + headers.length + 5 + length);
            frame(frames, headers.length, HEADERS, END_HEADERS, 0).put(headers);
            frame(frames, length + 5, DATA, END_STREAM, 0).put((byte) 0).putInt(length).put(message.toByteArray());
            return new Call(frames.array(), FRAME_HEAD + headers.length, true);
        }
    }

    /// A request as it goes over the wire, but for the number of its stream.
    ///
    /// @param dataAt where its second frame begins
    record Call(byte[] frames, int dataAt, boolean counted) {
        Call uncounted() {
            return new Call(frames, dataAt, false);
        }
    }

    private static ByteBuffer frame(ByteBuffer into, int length, int type, int flags, int stream) {
        return into.put((byte) (length >> 16)).putShort((short) length).put((byte) type).put((byte) flags).putInt(stream);
    }

    private static final class Connection {
        private final SocketChannel channel;
        private final Supplier<Call> source;
        private final DefaultHttp2HeadersDecoder headers = new DefaultHttp2HeadersDecoder(false);
        private ByteBuffer read = ByteBuffer.allocate(1 << 18);
        private double[] times = new double[1 << 12];
        private int count;
        private boolean counted;
        private int stream = -1;
        private long began;
        private long window = USUAL_WINDOW;
        private long taken;
        private boolean waiting;

        Connection(int port, Supplier<Call> source) throws IOException {
            this.source = source;
            channel = SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            var hello = ByteBuffer.allocate(128);
            hello.put("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            frame(hello, 6, SETTINGS, 0, 0).putShort((short) 4).putInt(LARGEST_WINDOW); // of each stream
            frame(hello, 4, WINDOW_UPDATE, 0, 0).putInt(LARGEST_WINDOW - USUAL_WINDOW);
            channel.write(hello.flip());
            channel.configureBlocking(false);
        }

        void begin(long end) throws IOException {
            count = 0;
            next(end);
        }

        double[] times() {
            return Arrays.copyOf(times, count);
        }

        private void next(long end) throws IOException {
            waiting = System.nanoTime() < end;
            if (!waiting) return;
            var call = source.get();
            counted = call.counted();
            stream += 2;
            var frames = ByteBuffer.wrap(call.frames());
            frames.putInt(5, stream).putInt(call.dataAt() + 5, stream);
            window -= call.frames().length - call.dataAt() - FRAME_HEAD; // headers are not counted
            if (window < 0) throw new IllegalStateException("window: used up (expected: the server takes what it was sent)");
            began = System.nanoTime();
            write(frames);
        }

        private void write(ByteBuffer frames) throws IOException {
            while (frames.hasRemaining()) channel.write(frames);
        }

        void read(long end) throws IOException, Http2Exception {
            if (channel.read(read) < 0) throw new IOException("the server closed a connection");
            read.flip();
            while (read.remaining() >= FRAME_HEAD) {
                var start = read.position();
                var length = read.getInt(start) >>> 8;
                if (read.remaining() < FRAME_HEAD + length) break;
                var body = read.slice(start + FRAME_HEAD, length);
                read.position(start + FRAME_HEAD + length);
                take(read.get(start + 3), read.get(start + 4), read.getInt(start + 5), body, end);
            }
            read.compact();
            if (!read.hasRemaining()) read = ByteBuffer.allocate(2 * read.capacity()).put(read.flip());
        }

        private void take(int type, int flags, int stream, ByteBuffer body, long end) throws IOException, Http2Exception {
            switch (type) {
                case DATA -> took(body.remaining());
                case HEADERS -> {
                    var told = headers.decodeHeaders(stream, Unpooled.wrappedBuffer(body));
                    if ((flags & END_STREAM) != 0) ended(String.valueOf(told.get("grpc-status")), String.valueOf(told.get("grpc-message")), end);
                }
                case SETTINGS -> {
                    if ((flags & ACKNOWLEDGED) == 0) write(frame(ByteBuffer.allocate(FRAME_HEAD), 0, SETTINGS, ACKNOWLEDGED, 0).flip());
                }
                case PING -> {
                    if ((flags & ACKNOWLEDGED) == 0) write(frame(ByteBuffer.allocate(FRAME_HEAD + 8), 8, PING, ACKNOWLEDGED, 0).put(body).flip());
                }
                case WINDOW_UPDATE -> {
                    if (stream == 0) window += body.getInt();
                }
                case RESET, GO_AWAY -> throw new IOException("the server broke off a call (frame of type %d)".formatted(type));
                default -> {}
            }
        }

        /// The server may go on sending once half of the window is used.
        private void took(int bytes) throws IOException {
            taken += bytes;
            if (taken < LARGEST_WINDOW / 2) return;
            write(frame(ByteBuffer.allocate(FRAME_HEAD + 4), 4, WINDOW_UPDATE, 0, 0).putInt((int) taken).flip());
            taken = 0;
        }

        private void ended(String status, String message, long end) throws IOException {
            if (!status.equals("0")) throw new IOException("a call failed: status %s, %s".formatted(status, message));
            if (count == times.length) times = Arrays.copyOf(times, 2 * count);
            if (counted) times[count++] = Starts.since(began);
            next(end);
        }
    }
}
