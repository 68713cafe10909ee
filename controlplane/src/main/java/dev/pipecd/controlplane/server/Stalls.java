// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.server;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/// A connection whose other end does not take what is sent: nothing more is read from it until it
/// does, so that it cannot heap up answers, and it is closed when it takes nothing for too long.
final class Stalls extends IdleStateHandler {
    private static final long NOTHING_WAITS = -1;

    private boolean withheld;
    private long taken = NOTHING_WAITS;

    Stalls(Duration patience) {
        super(0, patience.toMillis(), 0, TimeUnit.MILLISECONDS);
    }

    /// Whoever else holds reading back for a while may let it go on too early.
    @Override
    public void read(ChannelHandlerContext connection) {
        withheld = !connection.channel().isWritable();
        if (!withheld) connection.read();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext connection) {
        var takes = connection.channel().isWritable();
        connection.channel().config().setAutoRead(takes);
        if (withheld && takes) read(connection);
        connection.fireChannelWritabilityChanged();
    }

    /// Nothing left as a whole for that long; what counts is how far the first of it is, and not
    /// what joins behind it. The first time only tells since when nothing was taken.
    @Override
    protected void channelIdle(ChannelHandlerContext connection, IdleStateEvent event) {
        var unsent = connection.channel().unsafe().outboundBuffer();
        var before = taken;
        taken =
                unsent == null || unsent.totalPendingWriteBytes() == 0
                        ? NOTHING_WAITS
                        : unsent.currentProgress();
        if (taken != NOTHING_WAITS && taken == before && !event.isFirst()) connection.close();
    }
}
