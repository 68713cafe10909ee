// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.report;

/// Something the control plane has to be told, at least once.
///
/// @param lane reports of one lane arrive in the order they were made
/// @param call the RPC that carries it
public record Report(String lane, String call, byte[] body) {}
