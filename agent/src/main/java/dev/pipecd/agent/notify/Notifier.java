// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.notify;

/// Where the loops and hands say what happened. Comes back at once and never throws, whatever
/// becomes of it.
@FunctionalInterface
public interface Notifier {
    Notifier NOBODY = _ -> {};

    void tell(Event event);
}
