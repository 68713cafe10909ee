// SPDX-License-Identifier: Apache-2.0
/// What people write, as records: read, with every mistake told, and described as JSON schema.
@NullMarked
package dev.pipecd.plugin.host.options;

import org.jspecify.annotations.NullMarked;
