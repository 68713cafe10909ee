// SPDX-License-Identifier: Apache-2.0
/// What a change would do if it were merged, as agents see it.
@NullMarked
package dev.pipecd.controlplane.preview;

import org.jspecify.annotations.NullMarked;
