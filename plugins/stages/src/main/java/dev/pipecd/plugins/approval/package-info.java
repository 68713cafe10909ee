// SPDX-License-Identifier: Apache-2.0
/// WAIT_APPROVAL: people say go.
@NullMarked
package dev.pipecd.plugins.approval;

import org.jspecify.annotations.NullMarked;
