// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.stage;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// What an option is when people leave it out, written as JSON; an option without it is required.
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Otherwise {
    String value();
}
