// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.show;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import dev.pipecd.wire.json.GoForm;

/// Lets messages be written with the JSON library of the command line.
record GsonNodes() implements GoForm.Nodes<JsonElement> {
    @Override
    public JsonElement object() {
        return new JsonObject();
    }

    @Override
    public void put(JsonElement object, String key, JsonElement value) {
        object.getAsJsonObject().add(key, value);
    }

    @Override
    public JsonElement array() {
        return new JsonArray();
    }

    @Override
    public void add(JsonElement array, JsonElement value) {
        array.getAsJsonArray().add(value);
    }

    @Override
    public JsonElement number(Number value) {
        return new JsonPrimitive(value);
    }

    @Override
    public JsonElement truth(boolean value) {
        return new JsonPrimitive(value);
    }

    @Override
    public JsonElement text(String value) {
        return new JsonPrimitive(value);
    }
}
