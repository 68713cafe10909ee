// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.flag;

import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// Reads the status of a deployment, with or without `DEPLOYMENT_`, in any case, into its public
/// name.
public final class StatusName implements ITypeConverter<String>, Iterable<String> {
    private static final String PREFIX = "DEPLOYMENT_";
    public static final List<String> ALL =
            List.of(
                    "PENDING",
                    "PLANNED",
                    "RUNNING",
                    "ROLLING_BACK",
                    "SUCCESS",
                    "FAILURE",
                    "CANCELLED");

    @Override
    public String convert(String text) {
        if (text.isBlank()) return "";
        var upper = text.strip().toUpperCase(Locale.ROOT);
        var name = upper.startsWith(PREFIX) ? upper.substring(PREFIX.length()) : upper;
        if (!ALL.contains(name))
            throw new TypeConversionException(
                    "'" + text + "' is not one of " + String.join(", ", ALL));
        return PREFIX + name;
    }

    @Override
    public Iterator<String> iterator() {
        return ALL.iterator();
    }
}
