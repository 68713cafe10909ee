// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.notify;

/// What kinds of events there are, as people write them in routes, with their public numbers.
public enum EventKind {
    DEPLOYMENT_TRIGGERED(0),
    DEPLOYMENT_PLANNED(1),
    DEPLOYMENT_APPROVED(2),
    DEPLOYMENT_ROLLING_BACK(3),
    DEPLOYMENT_SUCCEEDED(4),
    DEPLOYMENT_FAILED(5),
    DEPLOYMENT_CANCELLED(6),
    DEPLOYMENT_WAIT_APPROVAL(7),
    DEPLOYMENT_TRIGGER_FAILED(8),
    DEPLOYMENT_STARTED(9),
    APPLICATION_SYNCED(100),
    APPLICATION_OUT_OF_SYNC(101),
    APPLICATION_HEALTHY(200),
    PIPED_STARTED(300),
    PIPED_STOPPED(301),
    /// Ours: the public system does not tell of plugins.
    PLUGIN_UNHEALTHY(350),
    PLUGIN_HEALTHY(351),
    STAGE_STARTED(400),
    STAGE_SKIPPED(401),
    STAGE_SUCCEEDED(402),
    STAGE_FAILED(403),
    STAGE_CANCELLED(404);

    private final int number;

    EventKind(int number) {
        this.number = number;
    }

    int number() {
        return number;
    }

    String group() {
        return switch (number / 100) {
            case 0 -> "DEPLOYMENT";
            case 1 -> "APPLICATION_SYNC";
            case 2 -> "APPLICATION_HEALTH";
            case 3 -> "PIPED";
            default -> "STAGE";
        };
    }
}
