// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.proxy;

import java.math.BigInteger;
import java.net.InetAddress;
import java.util.Locale;
import java.util.regex.Pattern;

/// Who is reached without a proxy: this machine, and whom `NO_PROXY` names by host, domain, address
/// or range of addresses.
record NoProxy(String written) {
    boolean holds(String named) {
        var host = named.toLowerCase(Locale.ROOT).replaceAll("[\\[\\]]", "");
        if (host.equals("localhost") || host.startsWith("127.") || host.equals("::1")) return true;
        return Pattern.compile(",")
                .splitAsStream(written.toLowerCase(Locale.ROOT))
                .map(String::strip)
                .anyMatch(rule -> rule.equals("*") || isNamed(host, rule) || isWithin(host, rule));
    }

    private static boolean isNamed(String host, String rule) {
        var name = rule.replaceFirst(":\\d+$", "").replaceFirst("^\\*?\\.", "");
        return !name.isEmpty() && (host.equals(name) || host.endsWith("." + name));
    }

    /// Only of addresses: for a range no name is looked up.
    private static boolean isWithin(String host, String rule) {
        var slash = rule.indexOf('/');
        if (slash < 0) return false;
        try {
            var address = InetAddress.ofLiteral(host).getAddress();
            var range = InetAddress.ofLiteral(rule.substring(0, slash)).getAddress();
            var rest = 8 * range.length - Integer.parseInt(rule.substring(slash + 1));
            return address.length == range.length
                    && rest >= 0
                    && new BigInteger(1, address)
                            .shiftRight(rest)
                            .equals(new BigInteger(1, range).shiftRight(rest));
        } catch (IllegalArgumentException noAddress) {
            return false;
        }
    }
}
