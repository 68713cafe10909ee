// SPDX-License-Identifier: Apache-2.0
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

// `npm run dev` shows the app with a control plane that is already running.
const controlPlane = process.env["PIPECD_URL"] ?? "http://localhost:8080";

export default defineConfig({
  plugins: [react()],
  build: { target: "es2023", chunkSizeWarningLimit: 900 },
  server: {
    proxy: {
      "/grpc.service.webservice.WebService": controlPlane,
      "/auth": controlPlane,
      "/changes": controlPlane,
    },
  },
  test: {
    environment: "happy-dom",
    include: ["src/**/*.test.{ts,tsx}"],
    setupFiles: ["src/app/testing.ts"],
    css: false,
    testTimeout: 60_000, // a busy machine is slow, not broken
    pool: "threads",
    isolate: false, // no file leaves anything behind, and a browser's stand-in for each costs most of the time
  },
});
