// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.platform;

/// A thing that is deployed, such as an image and its tag; `url` may be empty.
public record Version(String name, String version, String url) {}
