// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.change;

import io.grpc.Context;

/// Where a deed came from: by which door and from which address; the doors bind it before anything
/// is done.
///
/// @param address empty when it is not known
public record Origin(Via via, String address) {
    private static final Origin SERVER = new Origin(Via.SERVER, "");
    private static final Context.Key<Origin> CURRENT = Context.keyWithDefault("origin", SERVER);

    public static Origin current() {
        var origin = CURRENT.get();
        return origin == null ? SERVER : origin;
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
