// SPDX-License-Identifier: Apache-2.0
/// Files beside the documents: stage logs, command outputs, shared objects.
@NullMarked
package dev.pipecd.controlplane.filestore;

import org.jspecify.annotations.NullMarked;
