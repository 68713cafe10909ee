// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.wire.rules;

import java.util.function.Predicate;

/// One rule on one value (for lists and maps as a whole: on their size), under the name it has in
/// the .proto file.
record ValueRule(String name, String expected, Predicate<Object> kept) {}
