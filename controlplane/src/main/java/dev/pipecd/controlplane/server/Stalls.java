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
    private boolean withheld;

    Stalls(Duration patience) {
        super(true, 0, patience.toMillis(), 0, TimeUnit.MILLISECONDS);
    }

    @Override
    public void read(ChannelHandlerContext connection) {
        withheld = !connection.channel().isWritable();
        if (!withheld) connection.read();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext connection) {
        if (withheld && connection.channel().isWritable()) read(connection);
        connection.fireChannelWritabilityChanged();
    }

    /// The first time only tells since when nothing was taken.
    @Override
    protected void channelIdle(ChannelHandlerContext connection, IdleStateEvent event) {
        var unsent = connection.channel().unsafe().outboundBuffer();
        if (!event.isFirst() && unsent != null && unsent.totalPendingWriteBytes() > 0)
            connection.close();
    }
}
