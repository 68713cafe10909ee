// SPDX-License-Identifier: Apache-2.0
import { createTheme, type CSSVariablesResolver } from "@mantine/core";

export const theme = createTheme({
  primaryColor: "pipe",
  primaryShade: { light: 7, dark: 7 },
  autoContrast: true,
  defaultRadius: "md",
  cursorType: "pointer",
  respectReducedMotion: true,
  fontFamily: "Inter, system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif",
  fontFamilyMonospace: "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace",
  headings: { fontWeight: "650" },
  colors: {
    pipe: [
      "#eef3fe",
      "#dbe5fb",
      "#bccff8",
      "#a5bff6",
      "#93b2f5",
      "#6b90e6",
      "#4a72d2",
      "#2f55b8",
      "#274a9f",
      "#1e3b82",
    ],
    dark: [
      "#dfe4ec",
      "#b8c0cc",
      "#9aa5b5",
      "#6f7a8a",
      "#3d4653",
      "#303845",
      "#1f252f",
      "#1a1f28",
      "#13171e",
      "#0d1015",
    ],
  },
});

/** Mantine's own grey text and placeholders are too faint to read for many people. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-body": "#ffffff",
    "--mantine-color-text": "#1c2430",
    "--mantine-color-dimmed": "#565f6d",
    "--mantine-color-placeholder": "#646d7b",
    "--mantine-color-error": "#a1242b",
  },
  dark: {
    "--mantine-color-body": "#1a1f28",
    "--mantine-color-dimmed": "#a9b3c1",
    "--mantine-color-placeholder": "#99a3b2",
    "--mantine-color-error": "#ffa3a3",
  },
});
