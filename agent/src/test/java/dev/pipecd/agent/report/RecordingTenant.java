// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.report;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

final class RecordingTenant implements Lease.Tenant {
    final List<String> told = new CopyOnWriteArrayList<>();
    boolean idle = true;

    @Override
    public void forget() {
        told.add("forget");
    }

    @Override
    public void begin() {
        told.add("begin");
    }

    @Override
    public void lost() {
        told.add("lost");
    }

    @Override
    public boolean idle() {
        return idle;
    }
}
