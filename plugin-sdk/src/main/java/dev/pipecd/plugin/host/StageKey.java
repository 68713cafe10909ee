// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.host;

/// Names a running stage inside a host.
record StageKey(String deployment, String stage) {}
