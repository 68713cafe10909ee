// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.server;

import com.linecorp.armeria.common.logging.RequestLogProperty;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.AttributeKey;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Closes a connection that has not brought the head of a request in time: who connects and says
/// nothing, or a letter now and then, would keep it for as long as he likes.
final class Latecomers extends ChannelInboundHandlerAdapter {
    private static final AttributeKey<Boolean> ASKED =
            AttributeKey.valueOf(Latecomers.class, "ASKED");

    private final Duration patience;
    private @Nullable Future<?> deadline;

    Latecomers(Duration patience) {
        this.patience = patience;
    }

    /// A request came; its own time limit counts from now on.
    static void asked(ServiceRequestContext call) {
        var channel = call.log().ensureAvailable(RequestLogProperty.SESSION).channel();
        if (channel != null) channel.attr(ASKED).set(true);
    }

    @Override
    public void handlerAdded(ChannelHandlerContext connection) {
        deadline =
                connection
                        .executor()
                        .schedule(
                                () -> {
                                    if (!connection.channel().hasAttr(ASKED)) connection.close();
                                },
                                patience.toMillis(),
                                TimeUnit.MILLISECONDS);
    }

    /// Many who come and go leave nothing waiting for them.
    @Override
    public void handlerRemoved(ChannelHandlerContext connection) {
        if (deadline != null) deadline.cancel(false);
    }
}
