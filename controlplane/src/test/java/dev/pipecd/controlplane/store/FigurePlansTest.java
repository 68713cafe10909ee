// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.controlplane.insight.Question;
import dev.pipecd.controlplane.store.figures.Figures;
import dev.pipecd.domain.ProjectId;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/// What the pages of figures ask is found by an index, and costs the days it is asked for: three
/// projects have a hundred deliveries on each of ten days.
@ParameterizedClass
@EnumSource(TestEngine.class)
class FigurePlansTest {
    private static final ProjectId PROJECT = new ProjectId("project-1");
    private static final LocalDate FIRST = LocalDate.parse("2026-10-30");
    private static final int DAYS = 10;
    private static final int ROWS = 3_000;

    private final Database database;
    private final InsightTable table;
    private final Figures figures;

    FigurePlansTest(TestEngine engine) {
        database = TestEngine.open(engine.fresh());
        table = new InsightTable(database);
        figures = new Figures(database.engine());
        for (var first = 0; first < ROWS; first += 500) fill(first, 500);
        while (!table.sumUp(1_000)) assertThat(table.mark()).isNotNull();
        if (engine.shared())
            database.write(transaction ->
                    transaction
                            .prepare("ANALYZE TABLE Application, Delivery, DeliverySum")
                            .execute());
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void theFiguresOfAProjectAndOfALabelCostItsDaysAndNotItsDeliveries() {
        for (var question : List.of(question("", Map.of()), question("", Map.of("env", "e1")))) {
            var select = figures.select(question, true);

            assertThat(table.days(question))
                    .hasSize(DAYS)
                    .allMatch(day -> day.sums().completed() * DAYS == ROWS / 3);
            assertThat(Plan.of(database, select)).singleElement().matches(Plan::byIndex);
            assertThat(Plan.of(database, select))
                    .singleElement()
                    .matches(step -> step.contains("DeliverySum"));
            if (database.shared()) // SQLite does not tell
            assertThat(Plan.reads(database, select)).isLessThanOrEqualTo(DAYS + 1);
        }
    }

    @Test
    void theFiguresOfAnApplicationCostItsOwnDeliveries() {
        var question = question("app-7", Map.of("env", "e1"));
        var select = figures.select(question, true);

        assertThat(table.days(question)).isNotEmpty();
        assertThat(Plan.of(database, select)).isNotEmpty().allMatch(Plan::byIndex);
        if (database.shared())
            assertThat(Plan.reads(database, select))
                    .isLessThan(ROWS / 3); // 10 of them, and their days
    }

    @Test
    void theApplicationsOfAProjectAreCountedByAnIndex() {
        assertThat(Plan.of(database, figures.select(PROJECT))).isNotEmpty().allMatch(Plan::byIndex);
    }

    private static Question question(String application, Map<String, String> labels) {
        return new Question(PROJECT, application, labels, FIRST, FIRST.plusDays(600));
    }

    private void fill(int first, int number) {
        var values = new ArrayList<Object>();
        for (var i = first; i < first + number; i++)
            Collections.addAll(
                    values,
                    "d-%05d".formatted(i),
                    "project-" + i % 3,
                    "app-" + i % 300,
                    "{\"env\":\"e%d\",\"n\":\"%d\"}".formatted(i % 3, i % 50),
                    FIRST.toEpochDay() * 86_400 + i % DAYS * 86_400L + i);
        var row = "(?, ?, ?, ?, ?, 4, 60, -1, 1)";
        var _ =
                database.write(transaction ->
                        transaction
                                .prepare(
                                        "INSERT INTO Delivery (Id, ProjectId, ApplicationId, Labels,"
                                                + " CompletedAt, Status, LeadTime, RestoreTime,"
                                                + " Summed) VALUES "
                                                + String.join(
                                                        ", ", Collections.nCopies(number, row)),
                                        values.toArray())
                                .executeUpdate());
    }
}
