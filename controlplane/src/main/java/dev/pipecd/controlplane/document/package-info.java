// SPDX-License-Identifier: Apache-2.0
/// The form in which the public system writes its messages to tables and files.
@NullMarked
package dev.pipecd.controlplane.document;

import org.jspecify.annotations.NullMarked;
