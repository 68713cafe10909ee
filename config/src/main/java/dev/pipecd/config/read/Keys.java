// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.read;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// What the reference page says of the keys that a method reads: a row a line, `key | type |
/// default | meaning`. Type and default are left empty where the reading itself tells them. Several
/// keys of one object may share a row: `git.host, hostName`. A meaning that begins with names, as
/// `` `S3`, `MINIO`: ``, is of keys of those types or kinds only.
@Retention(RetentionPolicy.CLASS)
@Target({ElementType.METHOD, ElementType.CONSTRUCTOR})
@interface Keys {
    String value();
}
