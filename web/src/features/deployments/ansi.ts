// SPDX-License-Identifier: Apache-2.0
export type Style = {
  color?: string;
  background?: string;
  bold?: boolean;
  dim?: boolean;
  italic?: boolean;
  underline?: boolean;
};
export type Span = { text: string; style: Style };

// Legible on the dark ground of the log in both schemes.
const palette = [
  ["#98a2b3", "#ff8f8f", "#7ddba0", "#f0c674", "#8fb8ff", "#d9a6f5", "#74d7e0", "#e6eaf0"],
  ["#b4bdca", "#ffaaaa", "#9cebb8", "#ffdb94", "#b0cdff", "#e8c3fb", "#9ae8ef", "#ffffff"],
];
const grounds = ["#0b0e13", "#5b1d20", "#1b4028", "#4a3710", "#1b3564", "#46245c", "#124248", "#3c4452"];

// Colour codes are kept; every other escape (cursor moves, titles, links) has no meaning in a log.
const escape = /\u001b(?:\[([0-9;:?]*)([ -/]*[@-~])|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-_])/g;
const control = /[\u0000-\u0008\u000b-\u001f\u007f]/g;

/** One line in coloured pieces, and the style in which the next line begins. */
export function parseAnsi(line: string, from: Style): { spans: Span[]; next: Style } {
  const spans: Span[] = [];
  let style = from;
  let at = 0;
  function add(text: string) {
    const clean = text.replace(control, "");
    if (clean) spans.push({ text: clean, style });
  }
  for (const match of line.matchAll(escape)) {
    add(line.slice(at, match.index));
    at = match.index + match[0].length;
    if (match[2] === "m") style = applied(style, match[1] ?? "");
  }
  add(line.slice(at));
  return { spans, next: style };
}

function applied(from: Style, codes: string): Style {
  const numbers = codes.split(/[;:]/).map(Number);
  let style = { ...from };
  for (let i = 0; i < numbers.length; i++) {
    const code = numbers[i] ?? 0;
    if (code === 38 || code === 48) {
      const { color, used } = extended(numbers.slice(i + 1));
      i += used;
      if (color) style[code === 38 ? "color" : "background"] = color;
    } else {
      style = simple(style, code);
    }
  }
  return style;
}

function simple(style: Style, code: number): Style {
  if (code === 0) return {};
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, dim: true };
  if (code === 3) return { ...style, italic: true };
  if (code === 4) return { ...style, underline: true };
  if (code === 22) return without(without(style, "bold"), "dim");
  if (code === 23) return without(style, "italic");
  if (code === 24) return without(style, "underline");
  if (code === 39) return without(style, "color");
  if (code === 49) return without(style, "background");
  if (code >= 30 && code <= 37) return coloured(style, "color", palette[0]?.[code - 30]);
  if (code >= 90 && code <= 97) return coloured(style, "color", palette[1]?.[code - 90]);
  if (code >= 40 && code <= 47) return coloured(style, "background", grounds[code - 40]);
  if (code >= 100 && code <= 107) return coloured(style, "background", grounds[code - 100]);
  return style;
}

function coloured(style: Style, name: "color" | "background", color: string | undefined): Style {
  return color ? { ...style, [name]: color } : style;
}

function without(style: Style, name: keyof Style): Style {
  return Object.fromEntries(Object.entries(style).filter(([each]) => each !== name));
}

/** `5;n` of the 256 colours, or `2;r;g;b`. */
function extended(numbers: number[]): { color?: string; used: number } {
  const [kind, a = 0, b = 0, c = 0] = numbers;
  if (kind === 2) return { color: `rgb(${a}, ${b}, ${c})`, used: 4 };
  if (kind !== 5) return { used: 1 };
  if (a < 16) {
    const color = palette[a < 8 ? 0 : 1]?.[a % 8];
    return color ? { color, used: 2 } : { used: 2 };
  }
  if (a >= 232)
    return {
      color: `rgb(${Array(3)
        .fill(8 + (a - 232) * 10)
        .join(", ")})`,
      used: 2,
    };
  const steps = [0, 95, 135, 175, 215, 255];
  const cube = a - 16;
  const rgb = [Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map((step) => steps[step]);
  return { color: `rgb(${rgb.join(", ")})`, used: 2 };
}
