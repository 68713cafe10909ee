// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.change;

import dev.pipecd.config.launch.RequestScope;
import io.grpc.Context;

/// Where a deed came from: by which door, from which address and by which request; the doors bind
/// it before anything is done.
///
/// @param address empty when it is not known
/// @param request its id; empty for what no request asked for
public record Origin(Via via, String address, String request) {
    private static final Origin SERVER = new Origin(Via.SERVER, "");
    private static final Context.Key<Origin> CURRENT = Context.keyWithDefault("origin", SERVER);

    public Origin(Via via, String address) {
        this(via, address, "");
    }

    public static Origin current() {
        var origin = CURRENT.get();
        var known = origin == null ? SERVER : origin;
        return new Origin(known.via(), known.address(), RequestScope.id());
    }

    public Context in(Context context) {
        return context.withValue(CURRENT, this);
    }

    public enum Via {
        WEB,
        API,
        AGENT,
        SERVER
    }
}
