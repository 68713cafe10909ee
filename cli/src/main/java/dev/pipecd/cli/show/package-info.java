// SPDX-License-Identifier: Apache-2.0
/// How pipectl writes: tables and details for people, JSON and YAML for programs, and a view that
/// is redrawn in place.
@NullMarked
package dev.pipecd.cli.show;

import org.jspecify.annotations.NullMarked;
