// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.filestore;

import dev.pipecd.domain.Problem;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.Delete;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;
import software.amazon.awssdk.services.s3.model.ObjectIdentifier;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.S3Object;

/// One bucket of an S3 server, asked by keys below our prefix. Every call ends in bounded time, and
/// what the server answers becomes a value or a problem with advice.
final class S3Bucket implements FileStores.Connection, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(S3Bucket.class);
    private static final String NOWHERE = "pipecd-is-not-here";
    private static final int MOST_DELETED_AT_ONCE = 1_000;
    private static final Duration LARGE_FILE = Duration.ofMinutes(10);

    private final S3Client client;
    private final S3Place place;
    private boolean forbiddenMeansMissing;

    private S3Bucket(S3Client client, S3Place place) {
        this.client = client;
        this.place = place;
    }

    /// Asks for something that is not there: this tells whether the bucket is, whether we may read,
    /// and what a missing key looks like to us.
    static S3Bucket open(S3Client client, S3Place place) {
        var bucket = new S3Bucket(client, place);
        try {
            bucket.look();
            return bucket;
        } catch (RuntimeException e) {
            bucket.close();
            throw e;
        }
    }

    private void look() {
        try {
            found(NOWHERE, "", new Bytes(0, Long.MAX_VALUE)).ifPresent(S3Bucket::whole);
        } catch (S3Refused refused) {
            if (refused.code().equals("NoSuchBucket") && place.createBucket()) {
                create();
            } else if (refused.code().equals("AccessDenied")) {
                forbiddenMeansMissing = true;
                log.warn(
                        "file store: keys that are not there look forbidden in bucket {};"
                                + " they are taken for missing. Allow s3:ListBucket to tell them"
                                + " apart.",
                        place.bucket());
            } else {
                throw refused.problem();
            }
        }
    }

    private void create() {
        try {
            asking("", () -> client.createBucket(b -> b.bucket(place.bucket())));
            log.info("bucket {} is created", place.bucket());
        } catch (S3Refused refused) { // of servers that start together one is first
            if (!refused.code().equals("BucketAlreadyOwnedByYou")) throw refused.problem();
        }
    }

    /// Every answer tells it, also that there is nothing.
    @Override
    public Optional<Instant> now() {
        try {
            return client.getObject(g -> g.bucket(place.bucket()).key(full(NOWHERE)))
                    .response()
                    .sdkHttpResponse()
                    .firstMatchingHeader("Date")
                    .map(S3Bucket::time);
        } catch (AwsServiceException e) {
            var details = e.awsErrorDetails();
            return details == null
                    ? Optional.empty()
                    : details.sdkHttpResponse().firstMatchingHeader("Date").map(S3Bucket::time);
        }
    }

    private static Instant time(String date) {
        return Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(date));
    }

    Optional<Held> get(String key) {
        return told(() -> found(key, "", new Bytes(0, Long.MAX_VALUE))).map(S3Bucket::whole);
    }

    /// What it holds now, if that is not what the tag stands for.
    Look look(String key, String known) {
        try {
            return found(key, known, new Bytes(0, Long.MAX_VALUE))
                    .<Look>map(in -> new Look.Changed(whole(in)))
                    .orElse(new Look.Missing());
        } catch (S3Refused refused) {
            if (refused.status() == 304) return new Look.Same();
            throw refused.problem();
        }
    }

    /// The reader closes it.
    Optional<? extends InputStream> read(String key, Bytes bytes) {
        try {
            return found(key, "", bytes).map(Incoming::in);
        } catch (S3Refused refused) {
            if (refused.status() == 416) return Optional.of(InputStream.nullInputStream());
            throw refused.problem();
        }
    }

    private Optional<Incoming> found(String key, String known, Bytes bytes) {
        var request = GetObjectRequest.builder().bucket(place.bucket()).key(full(key));
        if (!known.isEmpty()) request.ifNoneMatch(known);
        bytes.header().ifPresent(request::range);
        try {
            var in = asking(key, () -> client.getObject(request.build()));
            return Optional.of(new Incoming(in, in.response().eTag()));
        } catch (S3Refused refused) {
            if (refused.status() == 404 && !refused.code().equals("NoSuchBucket")
                    || forbiddenMeansMissing && refused.code().equals("AccessDenied"))
                return Optional.empty();
            throw refused;
        }
    }

    private static Held whole(Incoming incoming) {
        try (var in = incoming.in()) {
            return new Held(in.readAllBytes(), incoming.tag());
        } catch (IOException e) {
            throw unavailable("file store: the connection broke while reading", e);
        }
    }

    /// The tag of what it holds, without reading that.
    Optional<String> tag(String key) {
        return told(() -> found(key, "", new Bytes(0, Long.MAX_VALUE))).map(S3Bucket::unread);
    }

    private static String unread(Incoming incoming) {
        try (var _ = incoming.in()) {
            return incoming.tag();
        } catch (IOException e) {
            throw unavailable("file store: the connection broke while reading", e);
        }
    }

    void put(String key, byte[] content) {
        var _ = told(() -> asking(key, () -> client.putObject(to(key).build(), body(content))));
    }

    void put(String key, Flow content) {
        var request = inItsTime(to(key)).build();
        var _ = told(() -> asking(key, () -> client.putObject(request, content.body())));
    }

    /// Unless it is not what the tag stands for any more; the empty tag stands for nothing.
    void putUnlessChanged(String key, String known, Flow content) {
        var request = known.isEmpty() ? to(key).ifNoneMatch("*") : to(key).ifMatch(known);
        var _ = unlessSomebodyWasFirst(key, inItsTime(request).build(), content.body());
    }

    private static PutObjectRequest.Builder inItsTime(PutObjectRequest.Builder request) {
        return request.overrideConfiguration(
                c -> c.apiCallTimeout(LARGE_FILE).apiCallAttemptTimeout(LARGE_FILE));
    }

    /// Its tag; empty when there is one already.
    Optional<String> create(String key, byte[] content) {
        return unlessSomebodyWasFirst(key, to(key).ifNoneMatch("*").build(), body(content));
    }

    /// Its new tag; empty when it is not what the tag stands for any more.
    Optional<String> replace(String key, String known, byte[] content) {
        return unlessSomebodyWasFirst(key, to(key).ifMatch(known).build(), body(content));
    }

    private Optional<String> unlessSomebodyWasFirst(
            String key, PutObjectRequest request, RequestBody content) {
        try {
            var answer = asking(key, () -> client.putObject(request, content));
            return Optional.of(answer.eTag());
        } catch (S3Refused refused) {
            return switch (refused.status()) {
                case 404 -> {
                    if (refused.code().equals("NoSuchBucket")) throw refused.problem();
                    yield Optional.empty();
                }
                case 409, 412 -> Optional.empty();
                default -> throw refused.problem();
            };
        }
    }

    private PutObjectRequest.Builder to(String key) {
        var request = PutObjectRequest.builder().bucket(place.bucket()).key(full(key));
        if (!place.encryption().isEmpty()) request.serverSideEncryption(place.encryption());
        if (!place.kmsKey().isEmpty()) request.ssekmsKeyId(place.kmsKey());
        return request;
    }

    private static RequestBody body(byte[] content) {
        return RequestBody.fromBytes(content);
    }

    void delete(String key) {
        var _ =
                told(() ->
                        asking(
                                key,
                                () ->
                                        client.deleteObject(
                                                d -> d.bucket(place.bucket()).key(full(key)))));
    }

    /// Whether they are there or not.
    void delete(List<String> keys) {
        for (var i = 0; i < keys.size(); i += MOST_DELETED_AT_ONCE) {
            var some = keys.subList(i, Math.min(keys.size(), i + MOST_DELETED_AT_ONCE));
            var objects =
                    some.stream()
                            .map(key -> ObjectIdentifier.builder().key(full(key)).build())
                            .toList();
            var delete = Delete.builder().objects(objects).quiet(true).build();
            var answer =
                    told(() ->
                            asking(
                                    some.getFirst(),
                                    () ->
                                            client.deleteObjects(
                                                    d -> d.bucket(place.bucket()).delete(delete))));
            if (answer.hasErrors())
                log.warn(
                        "file store: {} of {} files could not be deleted ({}); they stay",
                        answer.errors().size(),
                        some.size(),
                        answer.errors().getFirst().code());
        }
    }

    /// Keys without our prefix.
    void list(String folder, Consumer<S3Object> each) {
        var pages =
                client.listObjectsV2Paginator(
                        l -> l.bucket(place.bucket()).prefix(full(folder + "/")));
        var _ =
                told(() ->
                        asking(
                                folder,
                                () -> {
                                    pages.contents().forEach(each);
                                    return true;
                                }));
    }

    String own(String key) {
        return key.substring(place.prefix().length());
    }

    private String full(String key) {
        return place.prefix() + key;
    }

    private <R> R told(Supplier<R> call) {
        try {
            return call.get();
        } catch (S3Refused refused) {
            throw refused.problem();
        }
    }

    private <R> R asking(String key, Supplier<R> call) {
        try {
            return call.get();
        } catch (AwsServiceException e) {
            throw new S3Refused("s3://%s/%s".formatted(place.bucket(), full(key)), e);
        } catch (SdkException | UncheckedIOException e) {
            throw S3Refused.lacksCredentials(e)
                    ? S3Refused.withoutCredentials(place.server(), e)
                    : unavailable("file store: no answer from " + place.server(), e);
        }
    }

    private static Problem unavailable(String what, Exception e) {
        return new Problem(
                Problem.Code.STORE_UNAVAILABLE,
                what,
                "Check endpoint, region, network and credentials of the file store: "
                        + e.getMessage(),
                e);
    }

    @Override
    public void close() {
        client.close();
    }

    /// What a key holds, and the tag that stands for it.
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Held(byte[] content, String tag) {}

    /// Content too large to be held, of known length; `source` is asked again when a try failed.
    record Flow(long length, Supplier<InputStream> source) {
        private RequestBody body() {
            return RequestBody.fromContentProvider(source::get, length, "application/octet-stream");
        }
    }

    private record Incoming(InputStream in, String tag) {}

    /// Some bytes of an object; `to` is the place behind the last.
    record Bytes(long from, long to) {
        Optional<String> header() {
            if (from == 0 && to == Long.MAX_VALUE) return Optional.empty();
            return Optional.of(
                    from < 0
                            ? "bytes=" + from
                            : "bytes=%d-%s".formatted(from, to == Long.MAX_VALUE ? "" : to - 1));
        }

        /// As many as that from the end.
        static Bytes last(int count) {
            return new Bytes(-count, Long.MAX_VALUE);
        }
    }

    /// What asking for news of a key tells.
    sealed interface Look {
        record Missing() implements Look {}

        record Same() implements Look {}

        record Changed(Held now) implements Look {}
    }

    /// Is opened when it is first read, so that a hundred of them in a row hold one connection.
    static final class LateStream extends FilterInputStream {
        private final Supplier<InputStream> source;
        private boolean open;

        LateStream(Supplier<InputStream> source) {
            super(InputStream.nullInputStream());
            this.source = source;
        }

        @Override
        public int read() throws IOException {
            open();
            return in.read();
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            open();
            return in.read(into, offset, length);
        }

        private void open() {
            if (open) return;
            in = source.get();
            open = true;
        }
    }
}
