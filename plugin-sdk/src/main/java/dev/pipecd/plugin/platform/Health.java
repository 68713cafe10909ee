// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.platform;

/// How a resource does, and why in words for people.
public record Health(Status status, String reason) {
    public enum Status {
        UNKNOWN,
        HEALTHY,
        UNHEALTHY
    }

    public static Health healthy() {
        return new Health(Status.HEALTHY, "");
    }

    public static Health unhealthy(String reason) {
        return new Health(Status.UNHEALTHY, reason);
    }

    public static Health unknown(String reason) {
        return new Health(Status.UNKNOWN, reason);
    }
}
