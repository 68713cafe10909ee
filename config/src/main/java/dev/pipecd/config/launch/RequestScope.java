// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.launch;

/// Which request is being served. The doors bind it; every line of the log said meanwhile carries
/// it, and so does the trail of what was changed.
public final class RequestScope {
    private static final ScopedValue<String> ID = ScopedValue.newInstance();

    private RequestScope() {}

    /// Empty outside of a request.
    public static String id() {
        return ID.orElse("");
    }

    public static void run(String id, Runnable work) {
        ScopedValue.where(ID, id).run(work);
    }

    public static <R, X extends Throwable> R call(String id, ScopedValue.CallableOp<R, X> work)
            throws X {
        return ScopedValue.where(ID, id).call(work);
    }
}
