// SPDX-License-Identifier: Apache-2.0
import { LogSeverity, type LogBlock } from "../../api/gen/model/logblock_pb";
import { parseAnsi, type Span, type Style } from "./ansi";

export type LogLine = { text: string; spans: Span[]; at: number; tone: "plain" | "success" | "error" };

/** A stage's log as far as it is known; `next` is the first block not seen yet. */
export type StageLog = { lines: LogLine[]; next: bigint; style: Style; completed: boolean };

export const emptyLog: StageLog = { lines: [], next: 0n, style: {}, completed: false };

const tones = {
  [LogSeverity.INFO]: "plain",
  [LogSeverity.SUCCESS]: "success",
  [LogSeverity.ERROR]: "error",
} as const;

/** Adds what is new; a block that comes a second time is left out. */
export function withBlocks(log: StageLog, blocks: LogBlock[], completed: boolean): StageLog {
  const lines = [...log.lines];
  let { next, style } = log;
  for (const block of blocks) {
    if (block.index < next) continue;
    next = block.index + 1n;
    for (const raw of block.log.replace(/\r?\n$/, "").split(/\r?\n/)) {
      const parsed = parseAnsi(raw, style);
      style = parsed.next;
      const text = parsed.spans.map((span) => span.text).join("");
      lines.push({
        text,
        spans: parsed.spans,
        at: Number(block.createdAt),
        tone: tones[block.severity] ?? "plain",
      });
    }
  }
  return { lines, next, style, completed };
}

/** Numbers of the lines that contain the words, whatever their case. */
export function matches(lines: LogLine[], words: string): number[] {
  const wanted = words.toLowerCase();
  if (!wanted) return [];
  return lines.flatMap((line, number) => (line.text.toLowerCase().includes(wanted) ? [number] : []));
}

export function asText(lines: LogLine[]): string {
  return lines.map((line) => `${new Date(line.at * 1000).toISOString()} ${line.text}\n`).join("");
}
