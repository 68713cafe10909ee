// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.wire.rules;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Message;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/// Says which rules of its .proto file a message breaks; the rules of a type are read once, when
/// its first message comes.
public final class RequestRules {
    private final ConcurrentMap<Descriptor, MessageRules> byType = new ConcurrentHashMap<>();

    /// The broken rules in order of the fields; a message that breaks very many is not followed to
    /// its end.
    public List<Violation> check(Message message) {
        var found = new Findings();
        check(message, new Place.Root(), found);
        return found.violations();
    }

    void check(Message message, Place place, Findings found) {
        byType.computeIfAbsent(message.getDescriptorForType(), MessageRules::read)
                .check(message, place, found, this);
    }
}
