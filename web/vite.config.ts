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
  },
});
