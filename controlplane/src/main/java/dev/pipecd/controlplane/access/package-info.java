// SPDX-License-Identifier: Apache-2.0
/// Who calls, and what they may do: credentials, sessions, roles.
@NullMarked
package dev.pipecd.controlplane.access;

import org.jspecify.annotations.NullMarked;
