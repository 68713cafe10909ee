// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.architecture;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;

/// What a rule asks of a class and ArchUnit has no words for.
final class Conditions {
    private Conditions() {}

    static ArchCondition<JavaClass> resideInANullMarkedPackage() {
        return new ArchCondition<>("reside in a @NullMarked package") {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                if (!type.getPackage().isAnnotatedWith(NullMarked.class))
                    events.add(
                            SimpleConditionEvent.violated(
                                    type, type.getName() + " is in no @NullMarked package"));
            }
        };
    }

    static ArchCondition<JavaClass> showNothingOf(DescribedPredicate<JavaClass> hidden) {
        return new ArchCondition<>("show nothing of what is hidden") {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                if (!shown(type)) return;
                type.getMembers().stream()
                        .filter(member -> member.getModifiers().contains(JavaModifier.PUBLIC))
                        .filter(member -> types(member).anyMatch(t -> mentions(t, hidden)))
                        .forEach(member ->
                                events.add(
                                        SimpleConditionEvent.violated(
                                                member,
                                                member.getFullName() + " shows a generated type")));
            }
        };
    }

    private static boolean shown(JavaClass type) {
        return type.getModifiers().contains(JavaModifier.PUBLIC);
    }

    private static Stream<JavaType> types(JavaMember member) {
        return switch (member) {
            case JavaField field -> Stream.of(field.getType());
            case JavaCodeUnit unit ->
                    Stream.concat(
                            Stream.of(unit.getReturnType()), unit.getParameterTypes().stream());
            default -> Stream.empty();
        };
    }

    private static boolean mentions(JavaType type, DescribedPredicate<JavaClass> hidden) {
        return type.getAllInvolvedRawTypes().stream().anyMatch(hidden);
    }
}
