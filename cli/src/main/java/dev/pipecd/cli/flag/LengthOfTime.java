// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.flag;

import dev.pipecd.config.GoDuration;
import java.time.Duration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// Reads lengths of time as the public command line writes them: `15s`, `1h30m`, `1.5s`, `300ms`.
public final class LengthOfTime implements ITypeConverter<Duration> {
    @Override
    public Duration convert(String text) {
        return GoDuration.parse(text)
                .filter(Duration::isPositive)
                .orElseThrow(() ->
                        new TypeConversionException(
                                "'" + text + "' is not a length of time such as 15s, 5m or 1h30m"));
    }
}
