// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.read;

import dev.pipecd.config.read.Tree.Place;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.composer.Composer;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeId;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.parser.ParserImpl;
import org.yaml.snakeyaml.reader.StreamReader;
import org.yaml.snakeyaml.resolver.Resolver;

/// The one place where YAML text becomes a tree; everything hostile about YAML ends here.
final class YamlReader {
    /// Given to scalars without quotes and tag, whose meaning `Scalars` decides.
    static final Tag PLAIN = new Tag("!plain");

    private static final Tree.Mapping NOTHING = new Tree.Mapping(Place.START, List.of());

    private YamlReader() {}

    /// The object that is the first document. What cannot be read any further is told at once.
    static Tree.Mapping read(byte[] content, Findings findings) {
        var text = decoded(content, findings);
        refuseControlCharacters(text, findings);
        var node = composed(text, findings);
        var tree = node.isEmpty() ? NOTHING : new Unfolding(findings).unfold(node.get());
        if (tree.isNull()) return NOTHING;
        if (tree instanceof Tree.Mapping mapping) return mapping;
        findings.mistake(
                tree.place(),
                "",
                "%s (expected: an object with apiVersion, kind and spec)"
                        .formatted(Telling.value(tree)));
        throw findings.refusal();
    }

    private static String decoded(byte[] content, Findings findings) {
        var decoder =
                StandardCharsets.UTF_8.newDecoder().onMalformedInput(CodingErrorAction.REPORT);
        var bytes = ByteBuffer.wrap(content);
        try {
            var text = decoder.decode(bytes).toString();
            return text.startsWith("\uFEFF") ? text.substring(1) : text;
        } catch (CharacterCodingException e) {
            var readable = new String(content, 0, bytes.position(), StandardCharsets.UTF_8);
            findings.mistake(
                    placeAfter(readable, Long.MAX_VALUE),
                    "",
                    "bytes that are no text (expected: UTF-8)");
            throw findings.refusal();
        }
    }

    private static void refuseControlCharacters(String text, Findings findings) {
        var before = text.codePoints().takeWhile(StreamReader::isPrintable).count();
        var bad = text.codePoints().skip(before).findFirst();
        if (bad.isEmpty()) return;
        findings.mistake(
                placeAfter(text, before),
                "",
                "character U+%04X (expected: printable text)".formatted(bad.getAsInt()));
        throw findings.refusal();
    }

    private static Optional<Node> composed(String text, Findings findings) {
        try {
            var options = new LoaderOptions();
            options.setCodePointLimit(Integer.MAX_VALUE);
            options.setNestingDepthLimit(BoundedParser.DEEPEST + 1);
            options.setMaxAliasesForCollections(BoundedParser.MOST_PARTS);
            var composer =
                    new Composer(
                            new BoundedParser(new ParserImpl(new StreamReader(text), options)),
                            new PlainResolver(),
                            options);
            if (!composer.checkNode()) return Optional.empty();
            var first = composer.getNode();
            warnOfMore(composer, findings);
            return Optional.of(first);
        } catch (BoundedParser.Exceeded e) {
            findings.mistake(place(e.mark()), "", String.valueOf(e.getMessage()));
        } catch (MarkedYAMLException e) {
            findings.mistake(
                    place(e.getProblemMark()),
                    "",
                    "%s (expected: YAML)"
                            .formatted(
                                    Telling.oneLine(
                                            Objects.toString(e.getProblem(), "broken"), 200)));
        } catch (RuntimeException e) {
            // The parser has ways to fail that it does not declare, such as escapes beyond Unicode.
            findings.mistake(Place.START, "", "unreadable (expected: YAML)");
        }
        throw findings.refusal();
    }

    /// What follows is not read, so that it cannot break the first document either.
    private static void warnOfMore(Composer composer, Findings findings) {
        try {
            if (!composer.checkNode()) return;
            var second = composer.getNode();
            // A closing line of dashes begins a document with nothing in it.
            if (second instanceof ScalarNode scalar && scalar.getValue().isEmpty()) return;
            findings.warning(
                    place(second.getStartMark()),
                    "",
                    "a second document (ignored: only the first is read)");
        } catch (RuntimeException e) {
            var place =
                    e instanceof MarkedYAMLException marked
                            ? place(marked.getProblemMark())
                            : Place.START;
            findings.warning(place, "", "text after the first document (ignored: it is not YAML)");
        }
    }

    static Place place(Mark mark) {
        return mark == null ? Place.START : new Place(mark.getLine() + 1, mark.getColumn() + 1);
    }

    private static Place placeAfter(String text, long codePoints) {
        var line = 1;
        var column = 1;
        var each = text.codePoints().limit(codePoints).iterator();
        while (each.hasNext()) {
            if (each.nextInt() == '\n') {
                line++;
                column = 1;
            } else {
                column++;
            }
        }
        return new Place(line, column);
    }

    private static final class PlainResolver extends Resolver {
        @Override
        public Tag resolve(NodeId kind, String value, boolean implicit) {
            return kind == NodeId.scalar && implicit ? PLAIN : super.resolve(kind, value, implicit);
        }
    }
}
