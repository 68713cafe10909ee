// SPDX-License-Identifier: Apache-2.0
/// The door of pipectl and other holders of an API key: APIService.
@NullMarked
package dev.pipecd.controlplane.publicapi;

import org.jspecify.annotations.NullMarked;
