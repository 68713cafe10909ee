// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.template;

import dev.pipecd.agent.template.Template.Command;
import dev.pipecd.agent.template.Template.Constant;
import dev.pipecd.agent.template.Template.Field;
import dev.pipecd.agent.template.Template.Literal;
import dev.pipecd.agent.template.Template.Operand;
import dev.pipecd.agent.template.Template.Part;
import dev.pipecd.agent.template.Template.Pipeline;
import dev.pipecd.agent.template.Template.Value;
import dev.pipecd.domain.Problem;
import java.util.ArrayList;
import java.util.List;

/// Takes a template apart; the first thing that is not known ends it, with its line.
final class TemplateParser {
    private static final String SPACE = " \t\r\n";
    private static final int MOST_ACTIONS = 100_000;

    private final String origin;
    private final String text;
    private int at;
    private int actions;
    private int counted;
    private int line = 1;

    TemplateParser(String origin, String text) {
        this.origin = origin;
        this.text = text;
    }

    List<Part> parse() {
        var parts = new ArrayList<Part>();
        while (true) {
            var open = text.indexOf("{{", at);
            if (open < 0) {
                parts.add(new Literal(text.substring(at)));
                return parts;
            }
            var before = text.substring(at, open);
            at = open + 2;
            var trims = text.startsWith("-", at) && at + 1 < text.length() && isSpace(at + 1);
            if (trims) at++;
            parts.add(new Literal(trims ? stripped(before) : before));
            // Taken apart, each takes fifty times the room of its text.
            if (++actions > MOST_ACTIONS)
                throw refusal(open, "one {{ more (expected: at most %d)".formatted(MOST_ACTIONS));
            if (!comment()) parts.add(pipeline());
            close(open);
        }
    }

    private static String stripped(String before) {
        var end = before.length();
        while (end > 0 && SPACE.indexOf(before.charAt(end - 1)) >= 0) end--;
        return before.substring(0, end);
    }

    private boolean comment() {
        var begin = at;
        skipSpace();
        if (!text.startsWith("/*", at)) {
            at = begin;
            return false;
        }
        var end = text.indexOf("*/", at + 2);
        if (end < 0) throw refusal(at, "a comment without end (expected: */)");
        at = end + 2;
        return true;
    }

    private Pipeline pipeline() {
        var commands = new ArrayList<Command>();
        skipSpace();
        var line = line(at);
        do {
            skipSpace();
            commands.add(command(!commands.isEmpty()));
            skipSpace();
        } while (take("|"));
        return new Pipeline(line, commands);
    }

    private Command command(boolean piped) {
        var begin = at;
        var functions = new ArrayList<Function>();
        if (at < text.length() && isLetter(text.charAt(at))) functions.add(function());
        var operands = new ArrayList<Operand>();
        skipSpace();
        while (!ends()) {
            operands.add(operand());
            skipSpace();
        }
        if (functions.isEmpty()) {
            if (piped || operands.size() != 1)
                throw refusal(
                        begin,
                        operands.isEmpty()
                                ? "nothing (expected: a field or a function)"
                                : "a value (expected: a function in front of it)");
            return new Command(List.of(), operands);
        }
        var function = functions.getFirst();
        if (!function.takes(operands.size() + (piped ? 1 : 0)))
            throw refusal(
                    begin,
                    "%s with %d (expected: %s)"
                            .formatted(
                                    function.written(),
                                    operands.size() + (piped ? 1 : 0),
                                    function.arity()));
        return new Command(functions, operands);
    }

    private Function function() {
        var begin = at;
        var name = name();
        return Function.named(name)
                .orElseThrow(() ->
                        refusal(
                                begin,
                                "%s (expected: one of %s)"
                                        .formatted(
                                                Texts.shown(name),
                                                String.join(", ", Function.names()))));
    }

    private Operand operand() {
        var begin = at;
        var c = text.charAt(at);
        if (c == '.') return field();
        if (c == '"') return new Constant(new Value(quoted(), false));
        if (c == '`') return new Constant(new Value(raw(), false));
        if (c == '-' || Character.isDigit(c)) {
            do at++;
            while (at < text.length() && Character.isDigit(text.charAt(at)));
            var number = text.substring(begin, at);
            if (number.matches("-?(0|[1-9]\\d{0,17})") && (ends() || isSpace(at)))
                return new Constant(new Value(number, true));
        }
        while (at < text.length() && !isSpace(at) && !ends()) at++;
        throw refusal(
                begin,
                "%s (expected: a field, a text or a number)"
                        .formatted(Texts.shown(text.substring(begin, Math.max(at, begin + 1)))));
    }

    private Field field() {
        var begin = at;
        var path = new ArrayList<String>();
        while (take(".")) path.add(name());
        if (path.contains("") || !(ends() || at >= text.length() || isSpace(at)))
            throw refusal(
                    begin,
                    "%s (expected: a field such as .group.name)"
                            .formatted(
                                    Texts.shown(
                                            text.substring(
                                                    begin, Math.min(at + 1, text.length())))));
        return new Field(path);
    }

    private String name() {
        var begin = at;
        while (at < text.length()
                && (isLetter(text.charAt(at)) || Character.isDigit(text.charAt(at)))) at++;
        return text.substring(begin, at);
    }

    private String quoted() {
        var begin = ++at;
        while (at < text.length() && text.charAt(at) != '"' && text.charAt(at) != '\n')
            at += text.charAt(at) == '\\' ? 2 : 1;
        if (at >= text.length() || text.charAt(at) != '"')
            throw refusal(begin, "a text without end (expected: \")");
        try {
            return Quoting.unescaped(text.substring(begin, at++));
        } catch (IllegalArgumentException e) {
            throw refusal(begin, Texts.shown(String.valueOf(e.getMessage())));
        }
    }

    private String raw() {
        var end = text.indexOf('`', at + 1);
        if (end < 0) throw refusal(at, "a text without end (expected: `)");
        var raw = text.substring(at + 1, end);
        at = end + 1;
        return raw.replace("\r", "");
    }

    private void close(int open) {
        skipSpace();
        var trims = isSpace(at - 1) && text.startsWith("-}}", at);
        if (trims) at++;
        if (!take("}}")) throw refusal(open, "{{ (expected: }} behind it)");
        if (trims) skipSpace();
    }

    private boolean ends() {
        return at >= text.length()
                || text.charAt(at) == '|'
                || text.startsWith("}}", at)
                || (text.startsWith("-}}", at) && at > 0 && isSpace(at - 1));
    }

    private boolean take(String what) {
        if (!text.startsWith(what, at)) return false;
        at += what.length();
        return true;
    }

    private void skipSpace() {
        while (at < text.length() && isSpace(at)) at++;
    }

    private boolean isSpace(int index) {
        return SPACE.indexOf(text.charAt(index)) >= 0;
    }

    /// Bytes above ASCII are parts of letters.
    private static boolean isLetter(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
    }

    /// Counts on from where it was asked last: from the beginning each time, a large file would
    /// take hours.
    private int line(int index) {
        if (index < counted) {
            counted = 0;
            line = 1;
        }
        for (; counted < index; counted++) if (text.charAt(counted) == '\n') line++;
        return line;
    }

    private Problem refusal(int index, String what) {
        return Template.refusal(origin, line(index), what);
    }
}
