// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.ops;

/// Which process has which turn, as last recorded.
public interface LeaseStore {
    /// As it stands; nobody's when it was never taken.
    Hold find(String name);

    /// Puts `next` where `seen` stands; false when something else stands there by now.
    boolean replace(String name, Hold seen, Hold next);

    /// @param holder empty when it was given back
    /// @param term grows with every change
    record Hold(String holder, long term) {
        public static final Hold NOBODYS = new Hold("", 0);
    }
}
