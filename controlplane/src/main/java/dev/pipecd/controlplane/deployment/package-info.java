// SPDX-License-Identifier: Apache-2.0
/// One walk of an application: reported by its agent, watched and steered by people.
@NullMarked
package dev.pipecd.controlplane.deployment;

import org.jspecify.annotations.NullMarked;
