// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.server;

import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import dev.pipecd.config.launch.RequestScope;
import io.netty.util.AttributeKey;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;

/// Gives every request an id at the door, by which browser, log and trail tell of the same: the
/// caller's own if it has a decent form, else a new one. It goes with every answer.
public final class RequestIds {
    static final String HEADER = "x-request-id";

    /// Nothing that could forge a line of a log or a header.
    private static final Pattern DECENT = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

    private static final AttributeKey<String> ID = AttributeKey.valueOf(RequestIds.class, "ID");

    private RequestIds() {}

    static HttpResponse given(HttpService next, ServiceRequestContext call, HttpRequest request)
            throws Exception {
        var theirs = request.headers().get(HEADER, "");
        var id = DECENT.matcher(theirs).matches() ? theirs : fresh();
        Latecomers.asked(call);
        call.setAttr(ID, id);
        call.setAdditionalResponseHeader(HEADER, id);
        return RequestScope.call(id, () -> next.serve(call, request));
    }

    private static String fresh() {
        return HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());
    }

    public static String of(ServiceRequestContext call) {
        var id = call.attr(ID);
        return id == null ? "" : id;
    }

    /// Of the call that is being taken on this thread.
    static String current() {
        var call = ServiceRequestContext.currentOrNull();
        return call == null ? RequestScope.id() : of(call);
    }
}
