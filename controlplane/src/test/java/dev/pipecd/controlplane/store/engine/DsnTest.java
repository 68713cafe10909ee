// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.config.Datastore;
import dev.pipecd.config.Secret;
import dev.pipecd.domain.Problem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DsnTest {
    @TempDir Path folder;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "sample:test@tcp(host:3306) | quickstart | sample | test | host:3306 | quickstart",
                "sample:test@tcp(host:3306)/one | '' | sample | test | host:3306 | one",
                "sample:test@tcp(host:3306)/one?parseTime=true | two | sample | test | host:3306 | two",
                "root:p@ss:w/rd@tcp(host)/one | '' | root | p@ss:w/rd | host:3306 | one",
                "root:p@ss:w/rd@tcp(host) | one | root | p@ss:w/rd | host:3306 | one",
                "root@tcp([::1]:3307)/one | '' | root | '' | [::1]:3307 | one",
                "root:a(b)c@tcp(h:1)/one?tls=skip-verify | '' | root | a(b)c | h:1 | one",
                "/one | '' | '' | '' | 127.0.0.1:3306 | one",
                "root:x@/one | '' | root | x | 127.0.0.1:3306 | one",
                "root:x@unix(/run/my.sock)/one | '' | root | x | /run/my.sock | one",
            })
    void everyPublicFormIsRead(
            String url,
            String database,
            String user,
            String password,
            String address,
            String chosen) {
        var dsn = Dsn.parse(url, database);

        assertThat(dsn.user()).isEqualTo(user);
        assertThat(dsn.password()).isEqualTo(password);
        assertThat(dsn.address()).isEqualTo(address);
        assertThat(dsn.database()).isEqualTo(chosen);
    }

    @Test
    void parametersAreReadAsWritten() {
        assertThat(
                        Dsn.parse(
                                        "u:p@tcp(h:1)/d?tls=true&sql_mode=%27ANSI%27&loc=Asia%2FTokyo",
                                        "")
                                .parameters())
                .isEqualTo(Map.of("tls", "true", "sql_mode", "'ANSI'", "loc", "Asia/Tokyo"));
    }

    @Test
    void nameAndPasswordComeFromFilesWithoutTheirLineEnds() throws Exception {
        var user = Files.writeString(folder.resolve("user"), "ann\n");
        var password = Files.writeString(folder.resolve("password"), "s3cret\n");

        var dsn =
                Dsn.of(
                        new Datastore.Server(
                                Secret.written("url", "host:3307"),
                                "one",
                                Secret.inFile("usernameFile", user.toString()),
                                Secret.inFile("passwordFile", password.toString())));

        assertThat(dsn.user()).isEqualTo("ann");
        assertThat(dsn.password()).isEqualTo("s3cret");
        assertThat(dsn.address()).isEqualTo("host:3307");
    }

    @ParameterizedTest
    @ValueSource(strings = {"u:s3cret@tcp(h:1", "u:s3cret@pipe(x)/d", "u:s3cret@tcp(h)/d?=x"})
    void aMistakeIsToldWithoutThePassword(String url) {
        assertThatThrownBy(() -> Dsn.parse(url, "d"))
                .isInstanceOf(Problem.class)
                .hasMessage(
                        "datastore.config.url: malformed (expected: user:password@tcp(host:3306))");
    }

    @Test
    void aDatabaseMustBeNamed() {
        assertThatThrownBy(() -> Dsn.parse("u:p@tcp(h:1)", ""))
                .hasMessage(
                        "datastore.config.database: missing (expected: the name of a database)");
    }

    @Test
    void itIsNeverPrintedWithThePassword() {
        assertThat(Dsn.parse("u:s3cret@tcp(h:1)", "d")).hasToString("h:1/d");
    }
}
