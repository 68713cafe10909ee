// SPDX-License-Identifier: Apache-2.0
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const page = fileURLToPath(new URL("../dist/index.html", import.meta.url));
if (!existsSync(page))
  throw new Error("dist/index.html: missing (expected: the built app; run `npm run build`)");

export default defineConfig({
  test: {
    root: fileURLToPath(new URL(".", import.meta.url)),
    include: ["*.test.ts"],
    environment: "node",
    testTimeout: 600_000,
    hookTimeout: 180_000,
    fileParallelism: false, // one browser at a time: eight tabs are enough for a small machine
  },
});
