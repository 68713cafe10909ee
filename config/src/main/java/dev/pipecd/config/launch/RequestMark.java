// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.launch;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.filter.Filter;
import ch.qos.logback.core.spi.FilterReply;
import org.slf4j.event.KeyValuePair;

/// Puts the id of the request on every line said while it is served, whatever the form of the log.
final class RequestMark extends Filter<ILoggingEvent> {
    @Override
    public FilterReply decide(ILoggingEvent event) {
        var id = RequestScope.id();
        if (!id.isEmpty() && event instanceof LoggingEvent line)
            line.addKeyValuePair(new KeyValuePair("requestId", id));
        return FilterReply.NEUTRAL;
    }
}
