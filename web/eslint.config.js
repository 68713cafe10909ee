// SPDX-License-Identifier: Apache-2.0
import boundaries from "eslint-plugin-boundaries";
import reactHooks from "eslint-plugin-react-hooks";
import tseslint from "typescript-eslint";

const sameFeature = { element: { captured: { feature: "{{ from.element.captured.feature }}" } } };

export default tseslint.config(
  { ignores: ["dist/", "src/api/gen/", "node_modules/"] },
  ...tseslint.configs.strict,
  reactHooks.configs.flat["recommended-latest"],
  {
    rules: {
      "max-lines": ["error", 250],
      "no-restricted-exports": ["error", { restrictDefaultExports: { direct: true } }],
      "@typescript-eslint/consistent-type-definitions": "off",
      "@typescript-eslint/no-invalid-void-type": "off",
    },
  },
  { files: ["*.config.{js,ts}", "e2e/*.config.ts"], rules: { "no-restricted-exports": "off" } },
  {
    files: ["src/**/*.{ts,tsx}"],
    plugins: { boundaries },
    settings: {
      "import/resolver": { node: { extensions: [".ts", ".tsx"] } },
      "boundaries/elements": [
        { type: "app", pattern: "src/app" },
        { type: "api", pattern: "src/api" },
        { type: "design", pattern: "src/design" },
        { type: "feature", pattern: "src/features/*", capture: ["feature"] },
      ],
      // Hooks and shapes (.ts) may speak the server's language; what is drawn (.tsx) may not.
      "boundaries/files": [{ category: "drawn", pattern: "**/*.tsx" }],
    },
    rules: {
      "boundaries/no-unknown-files": "error",
      "boundaries/dependencies": [
        "error",
        {
          default: "disallow",
          policies: [
            { allow: { to: { module: { origin: ["external", "core"] } } } },
            {
              from: { element: { type: "app" } },
              allow: { to: { element: { types: { anyOf: ["app", "api", "design", "feature"] } } } },
            },
            { from: { element: { type: "api" } }, allow: { to: { element: { type: "api" } } } },
            { from: { element: { type: "design" } }, allow: { to: { element: { type: "design" } } } },
            {
              from: { element: { type: "feature" } },
              allow: { to: { element: { types: { anyOf: ["design", "api"] } } } },
            },
            { from: { element: { type: "feature" } }, allow: { to: sameFeature } },
            {
              from: { element: { type: "feature" }, file: { categories: "drawn" } },
              disallow: { to: { element: { type: "api" } } },
            },
          ],
        },
      ],
    },
  },
);
