// SPDX-License-Identifier: Apache-2.0
/// What really runs of an application, as its agent sees it.
@NullMarked
package dev.pipecd.controlplane.livestate;

import org.jspecify.annotations.NullMarked;
