// SPDX-License-Identifier: Apache-2.0
/// What every gRPC door needs: ids as they come in, one answer a call, one service of several
/// doors.
@NullMarked
package dev.pipecd.controlplane.door;

import org.jspecify.annotations.NullMarked;
