// SPDX-License-Identifier: Apache-2.0
/// One walk of an application from a commit to its targets: where it may stand and what may follow
/// what.
@NullMarked
package dev.pipecd.domain.deployment;

import org.jspecify.annotations.NullMarked;
