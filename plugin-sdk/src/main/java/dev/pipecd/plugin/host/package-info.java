// SPDX-License-Identifier: Apache-2.0
/// The insides: serves plugins to the agent over the public protocol and gives each stage what it
/// asks for.
@NullMarked
package dev.pipecd.plugin.host;

import org.jspecify.annotations.NullMarked;
