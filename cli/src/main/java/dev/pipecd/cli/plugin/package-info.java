// SPDX-License-Identifier: Apache-2.0
/// `pipectl plugin`: puts plugins into an OCI registry, where agents fetch them.
@NullMarked
package dev.pipecd.cli.plugin;

import org.jspecify.annotations.NullMarked;
