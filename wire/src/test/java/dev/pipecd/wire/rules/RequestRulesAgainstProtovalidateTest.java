// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.wire.rules;

import static org.assertj.core.api.Assertions.assertThat;

import build.buf.protovalidate.Validator;
import build.buf.protovalidate.ValidatorFactory;
import build.buf.protovalidate.exceptions.ValidationException;
import build.buf.validate.FieldPath;
import com.google.protobuf.Message;
import dev.pipecd.wire.ProtoFiles;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RequestRulesAgainstProtovalidateTest {
    private static final int ROUNDS = 40;
    private static final double[] BROKEN = {0, 0.01, 0.05, 0.3};

    private final Validator yardstick = ValidatorFactory.newBuilder().build();
    private final RequestRules rules = new RequestRules();

    @Test
    void bothFindTheSameViolationsInRandomMessagesOfEveryType() throws ValidationException {
        var seed = Long.getLong("seed", 20_261_116);
        System.out.println("RequestRulesAgainstProtovalidateTest: -Dseed=" + seed);
        var accepted = 0;
        var refused = 0;

        for (var type : ProtoFiles.messages()) {
            var random = new Random(seed ^ type.getFullName().hashCode());
            for (var round = 0; round < ROUNDS; round++) {
                var broken = BROKEN[round % BROKEN.length];
                var message = new RandomMessages(random, broken).like(ProtoFiles.emptyOf(type));
                var found = ours(message);
                assertSame(message, found, seed);
                if (found.isEmpty()) accepted++;
                else refused++;
            }
        }

        assertThat(accepted).as("messages both accept").isGreaterThan(1_000);
        assertThat(refused).as("messages both refuse").isGreaterThan(1_000);
    }

    @Test
    void bothFindTheSameViolationsInTheEmptyMessageOfEveryType() throws ValidationException {
        for (var type : ProtoFiles.messages()) {
            var empty = ProtoFiles.emptyOf(type);
            assertSame(empty, ours(empty), 0);
        }
    }

    private void assertSame(Message message, List<String> found, long seed)
            throws ValidationException {
        var expected = theirs(message);
        if (found.size() == 100 && expected.size() > 100) return; // ours stops there
        assertThat(found)
                .as("-Dseed=%d %s%n%s", seed, message.getDescriptorForType().getFullName(), message)
                .containsExactlyInAnyOrderElementsOf(expected);
    }

    private List<String> ours(Message message) {
        return rules.check(message).stream().map(each -> each.field() + " " + each.rule()).toList();
    }

    private List<String> theirs(Message message) throws ValidationException {
        return yardstick.validate(message).getViolations().stream()
                .map(each -> path(each.toProto().getField()) + " " + each.toProto().getRuleId())
                .toList();
    }

    private static String path(FieldPath path) {
        var parts = new ArrayList<String>();
        for (var element : path.getElementsList()) {
            var subscript =
                    switch (element.getSubscriptCase()) {
                        case INDEX -> "[" + element.getIndex() + "]";
                        case STRING_KEY -> "[" + Shown.value(element.getStringKey()) + "]";
                        case SUBSCRIPT_NOT_SET -> "";
                        case BOOL_KEY, INT_KEY, UINT_KEY ->
                                throw new AssertionError("no such maps here: " + element);
                    };
            parts.add(element.getFieldName() + subscript);
        }
        return String.join(".", parts);
    }
}
