// SPDX-License-Identifier: Apache-2.0
/// The ports: gRPC, gRPC-Web and HTTP on the same listeners, who may pass, what is counted.
@NullMarked
package dev.pipecd.controlplane.server;

import org.jspecify.annotations.NullMarked;
