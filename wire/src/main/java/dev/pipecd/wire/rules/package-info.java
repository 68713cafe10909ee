// SPDX-License-Identifier: Apache-2.0
/// The rules that every request must keep, read from the annotations of the .proto files and
/// checked before a handler sees it.
@NullMarked
package dev.pipecd.wire.rules;

import org.jspecify.annotations.NullMarked;
