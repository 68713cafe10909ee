// SPDX-License-Identifier: Apache-2.0
import type { CSSProperties, ReactNode } from "react";
import { absoluteTime } from "../../design/time";
import type { Style } from "./ansi";
import type { LogLine } from "./log";
import classes from "./LogView.module.css";

type Props = { line: LogLine; number: number; digits: number; top: number; words: string; current: boolean };

export function LogRow({ line, number, digits, top, words, current }: Props) {
  return (
    <div
      className={classes.row}
      data-tone={line.tone}
      data-current={current || undefined}
      style={{ transform: `translateY(${top}px)` }}
      title={absoluteTime(line.at)}
    >
      <span className={classes.number} style={{ width: `${digits + 1}ch` }} aria-hidden>
        {number}
      </span>
      {line.tone === "error" && <span className={classes.mark}>error </span>}
      {line.spans.map((span, index) => (
        <span key={index} style={css(span.style)}>
          {marked(span.text, words)}
        </span>
      ))}
    </div>
  );
}

function css({ color, background, bold, dim, italic, underline }: Style): CSSProperties {
  return {
    ...(color && { color }),
    ...(background && { background }),
    ...(bold && { fontWeight: 700 }),
    ...(dim && { opacity: 0.75 }),
    ...(italic && { fontStyle: "italic" }),
    ...(underline && { textDecoration: "underline" }),
  };
}

function marked(text: string, words: string): ReactNode {
  if (!words) return text;
  const parts: ReactNode[] = [];
  const lower = text.toLowerCase();
  const wanted = words.toLowerCase();
  let at = 0;
  for (let next = lower.indexOf(wanted); next >= 0; next = lower.indexOf(wanted, at)) {
    parts.push(text.slice(at, next), <mark key={next}>{text.slice(next, next + words.length)}</mark>);
    at = next + words.length;
  }
  return [...parts, text.slice(at)];
}
