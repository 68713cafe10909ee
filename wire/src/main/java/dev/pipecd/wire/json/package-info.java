// SPDX-License-Identifier: Apache-2.0
/// Messages as the public system writes them down.
@NullMarked
package dev.pipecd.wire.json;

import org.jspecify.annotations.NullMarked;
