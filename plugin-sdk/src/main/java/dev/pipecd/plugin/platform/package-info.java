// SPDX-License-Identifier: Apache-2.0
/// What a plugin for a platform does beside running stages: it plans deployments, shows what runs,
/// tells drift, previews a change.
@NullMarked
package dev.pipecd.plugin.platform;

import org.jspecify.annotations.NullMarked;
