// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.stage;

/// How a log line is shown.
public enum Severity {
    INFO,
    SUCCESS,
    ERROR
}
