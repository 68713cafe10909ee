// SPDX-License-Identifier: Apache-2.0
/// What browsers, Git servers and operators reach by plain HTTP.
@NullMarked
package dev.pipecd.controlplane.http;

import org.jspecify.annotations.NullMarked;
