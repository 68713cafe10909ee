// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.plugin;

import java.nio.file.Path;

/// The plugin as one platform runs it.
record PlatformFile(String os, String architecture, Path file) {}
