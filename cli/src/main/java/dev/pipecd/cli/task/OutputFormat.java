// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.task;

/// For people or for programs.
public enum OutputFormat {
    TABLE,
    JSON
}
