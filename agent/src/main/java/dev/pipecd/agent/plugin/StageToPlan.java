// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import com.google.protobuf.ByteString;

/// One stage of a pipeline as people wrote it; `options` is the JSON of its `with`.
public record StageToPlan(String name, String description, int index, ByteString options) {}
