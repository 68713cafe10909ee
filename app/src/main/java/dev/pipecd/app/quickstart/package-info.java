// SPDX-License-Identifier: Apache-2.0
/// `pipecd quickstart`: a whole PipeCD with a demo repository on one machine, from nothing and
/// again.
@NullMarked
package dev.pipecd.app.quickstart;

import org.jspecify.annotations.NullMarked;
