// SPDX-License-Identifier: Apache-2.0
/// The door of the web UI: WebService.
@NullMarked
package dev.pipecd.controlplane.webapi;

import org.jspecify.annotations.NullMarked;
