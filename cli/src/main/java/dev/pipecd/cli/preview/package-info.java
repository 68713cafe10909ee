// SPDX-License-Identifier: Apache-2.0
/// `pipectl plan-preview`: what a change would do, before it is merged.
@NullMarked
package dev.pipecd.cli.preview;

import org.jspecify.annotations.NullMarked;
