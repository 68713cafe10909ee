// SPDX-License-Identifier: Apache-2.0
/// The whole walk as tests: real processes of the distribution, a real Git repository, the real
/// API.
@NullMarked
package dev.pipecd.e2e;

import org.jspecify.annotations.NullMarked;
