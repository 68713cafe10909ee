// SPDX-License-Identifier: Apache-2.0
/// From bytes to records: limits, YAML, fields, then one reader per document. `Documents` is the
/// only door.
@NullMarked
package dev.pipecd.config.read;

import org.jspecify.annotations.NullMarked;
