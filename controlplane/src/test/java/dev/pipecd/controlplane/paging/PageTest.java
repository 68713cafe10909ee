// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.paging;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.StringValue;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class PageTest {
    private final List<Integer> steps = new ArrayList<>();

    /// The first so many of a store, whose documents have that many bytes.
    private Page<StringValue> read(int stored, int bytes, int asked, Cursor after) {
        var all = IntStream.range(0, stored).mapToObj(i -> document(i, bytes)).toList();
        return Page.read(
                asked,
                after,
                PageTest::place,
                (behind, limit) -> {
                    steps.add(limit);
                    var from = behind.equals(Cursor.START) ? 0 : (int) behind.updatedAt() + 1;
                    return all.subList(from, Math.min(stored, from + limit));
                });
    }

    private static StringValue document(int number, int bytes) {
        return StringValue.of(number + " " + "x".repeat(bytes));
    }

    private static Cursor place(StringValue document) {
        var number = document.getValue().substring(0, document.getValue().indexOf(' '));
        return new Cursor(Long.parseLong(number), number);
    }

    @Test
    void asManyAsAreAskedForComeThoughTheyAreReadInSteps() {
        var page = read(1_500, 10, 1_200, Cursor.START);

        assertThat(page.items()).hasSize(1_200);
        assertThat(steps).containsExactly(500, 500, 200);
        assertThat(read(1_500, 10, 1_200, Cursor.parse(page.cursor())).items()).hasSize(300);
    }

    @Test
    void withoutALimitAllComeThatOneAnswerTakes() {
        var page = read(2_000, 5_000, Integer.MAX_VALUE, Cursor.START);

        assertThat(page.items()).hasSizeBetween(690, 700);
        assertThat(page.items().stream().mapToInt(StringValue::getSerializedSize).sum())
                .isLessThan(3_500_000);
        var next = read(2_000, 5_000, 1, Cursor.parse(page.cursor())).items().getFirst();
        assertThat(place(next).updatedAt()).isEqualTo(page.items().size());
    }

    @ParameterizedTest
    @ValueSource(ints = {501, 1_000, Integer.MAX_VALUE})
    void ofLargeDocumentsFewerThanAUsualPageComeWhereMoreWouldNotFit(int asked) {
        var page = read(600, 9_000, asked, Cursor.START);

        assertThat(page.items()).hasSizeBetween(380, 388);
        assertThat(page.items().stream().mapToInt(StringValue::getSerializedSize).sum())
                .isBetween(3_400_000, 3_500_000);
        var rest = read(600, 9_000, asked, Cursor.parse(page.cursor())).items();
        assertThat(page.items().size() + rest.size()).isEqualTo(600);
    }

    @Test
    void oneThatFillsAnAnswerComesAlone() {
        var page = read(3, 4_000_000, Integer.MAX_VALUE, Cursor.START);

        assertThat(page.items()).hasSize(1);
        assertThat(read(3, 4_000_000, 1, Cursor.parse(page.cursor())).items()).hasSize(1);
    }

    /// Who asks for pages of a usual size reckons with whole ones.
    @Test
    void aPageOfAUsualSizeIsWholeHoweverLargeItsDocumentsAre() {
        assertThat(read(600, 10_000, 500, Cursor.START).items()).hasSize(500);
    }

    @Test
    void ofNothingThereIsNoFurtherPage() {
        assertThat(read(0, 1, 10, Cursor.START)).isEqualTo(new Page<>(List.of(), ""));
    }
}
