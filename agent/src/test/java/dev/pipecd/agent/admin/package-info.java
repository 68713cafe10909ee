// SPDX-License-Identifier: Apache-2.0
/// The admin port, tried over real HTTP.
@NullMarked
package dev.pipecd.agent.admin;

import org.jspecify.annotations.NullMarked;
