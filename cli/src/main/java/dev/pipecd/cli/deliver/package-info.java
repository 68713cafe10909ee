// SPDX-License-Identifier: Apache-2.0
/// `pipectl deliver`: the last step of a CI pipeline.
@NullMarked
package dev.pipecd.cli.deliver;

import org.jspecify.annotations.NullMarked;
