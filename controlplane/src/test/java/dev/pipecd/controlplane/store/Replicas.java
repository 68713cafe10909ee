// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import java.util.function.Consumer;

/// Two servers on one database that was empty; of a file, which only one may open, both are one.
///
/// @param end what is done with them after the test
record Replicas(Database.Place place, Database here, Database there, Consumer<Replicas> end)
        implements AutoCloseable {
    @Override
    public void close() {
        end.accept(this);
    }
}
