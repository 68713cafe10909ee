// SPDX-License-Identifier: Apache-2.0
/// What `.gitmodules` says: which folder of a commit is which commit of another repository.
@NullMarked
package dev.pipecd.agent.source.module;

import org.jspecify.annotations.NullMarked;
