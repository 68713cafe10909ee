// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.journal;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.core.util.JsonRecyclerPools;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.deser.std.StdScalarDeserializer;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.jsontype.NamedType;
import com.fasterxml.jackson.databind.jsontype.TypeSerializer;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.StdScalarSerializer;
import dev.pipecd.domain.deployment.Cause;
import dev.pipecd.domain.deployment.DeploymentEvent;
import dev.pipecd.domain.deployment.Outcome;
import dev.pipecd.domain.deployment.StageEvent;
import dev.pipecd.domain.deployment.StageResult;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/// Turns entries into JSON and back. The domain stays free of annotations: sealed types are named
/// by their class here.
final class EntryCodec {
    private static final List<Class<?>> SEALED =
            List.of(
                    Entry.class,
                    DeploymentEvent.class,
                    StageEvent.class,
                    StageResult.class,
                    Outcome.class,
                    Cause.class);
    private static final TypeReference<List<Entry>> ENTRIES = new TypeReference<>() {};

    private static final int BUFFERS = 16;

    private final ObjectMapper mapper = mapper();

    byte[] write(List<Entry> entries) {
        try {
            return mapper.writerFor(ENTRIES).writeValueAsBytes(entries);
        } catch (IOException e) {
            throw new IllegalStateException("an entry cannot be written: " + e.getMessage(), e);
        }
    }

    /// As several lists, each ended once it is this long.
    List<byte[]> pieces(List<Entry> entries, int length) {
        var pieces = new ArrayList<byte[]>();
        for (var rest = entries.iterator(); rest.hasNext(); ) {
            var piece = new ByteArrayOutputStream();
            try (var list = mapper.writerFor(Entry.class).writeValuesAsArray(piece)) {
                while (rest.hasNext() && piece.size() < length) list.write(rest.next()).flush();
            } catch (IOException e) {
                throw new IllegalStateException("an entry cannot be written: " + e.getMessage(), e);
            }
            pieces.add(piece.toByteArray());
        }
        return pieces;
    }

    List<Entry> read(byte[] json) throws IOException {
        return mapper.readerFor(ENTRIES).readValue(json);
    }

    private static ObjectMapper mapper() {
        var module = new SimpleModule();
        text(module, Instant.class, Instant::parse);
        text(module, Duration.class, Duration::parse);
        for (var type : SEALED) {
            module.setMixInAnnotation(type, Named.class);
            for (var permitted : type.getPermittedSubclasses())
                module.registerSubtypes(new NamedType(permitted, permitted.getSimpleName()));
        }
        // An entry written by a newer agent may know more; what is not known here is not needed
        // here.
        // Each deployment's thread would keep buffers of its own.
        var buffers = JsonRecyclerPools.newBoundedPool(BUFFERS);
        return JsonMapper.builder(JsonFactory.builder().recyclerPool(buffers).build())
                .addModule(module)
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .build();
    }

    private static <T> void text(SimpleModule module, Class<T> type, Function<String, T> parse) {
        module.addSerializer(
                type,
                new StdScalarSerializer<>(type) {
                    @Override
                    public void serialize(T value, JsonGenerator out, SerializerProvider provider)
                            throws IOException {
                        out.writeString(value.toString());
                    }

                    @Override
                    public void serializeWithType(
                            T value,
                            JsonGenerator out,
                            SerializerProvider provider,
                            TypeSerializer types)
                            throws IOException {
                        serialize(value, out, provider);
                    }
                });
        module.addDeserializer(
                type,
                new StdScalarDeserializer<T>(type) {
                    @Override
                    public T deserialize(JsonParser in, DeserializationContext context)
                            throws IOException {
                        return parse.apply(in.getText());
                    }
                });
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "is")
    private interface Named {}
}
