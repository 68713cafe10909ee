// SPDX-License-Identifier: Apache-2.0
/// `pipecd doctor`: looks at everything a server needs, one thing at a time, and says what to do.
@NullMarked
package dev.pipecd.controlplane.doctor;

import org.jspecify.annotations.NullMarked;
