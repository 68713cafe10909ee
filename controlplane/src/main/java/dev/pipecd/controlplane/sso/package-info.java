// SPDX-License-Identifier: Apache-2.0
/// Logging in by way of another system: GitHub, or any that speaks OpenID Connect.
@NullMarked
package dev.pipecd.controlplane.sso;

import org.jspecify.annotations.NullMarked;
