// SPDX-License-Identifier: Apache-2.0
import { EventParser, type ServerEvent } from "./sse";

/** Something on the server is no longer as it was; for a stage log `id` is the deployment's. */
export type Change = {
  kind: "deployment" | "application" | "live-state" | "stage-log" | "piped" | "command";
  id: string;
  stage?: string;
};

export type StreamReader = {
  signal: AbortSignal;
  fetch: typeof fetch;
  cursor: () => number | undefined;
  onHello: (cursor: number) => void;
  onReset: (cursor: number) => void;
  onChanges: (changes: Change[], cursor: number) => void;
  onCut: () => void;
  onSignedOut: () => void;
};

const silenceLimitMs = 30_000; // the server speaks at least every 10 s; a longer silence is a dead connection
const shortLifeMs = 1_000;
const shortPauseMs = 250;
const longestPauseMs = 5_000;

/** Reads the stream until told to stop; a proxy that cuts it every few seconds costs one request each time. */
export async function readChanges(reader: StreamReader): Promise<void> {
  let failures = 0;
  while (!reader.signal.aborted) {
    const began = Date.now();
    let greeted = false;
    const onHello = (cursor: number) => {
      greeted = true;
      reader.onHello(cursor);
    };
    const outcome = await readOnce({ ...reader, onHello }).catch(() => "cut" as const);
    if (reader.signal.aborted) return;
    if (outcome === "signed-out") return reader.onSignedOut();
    reader.onCut();
    failures = greeted ? 0 : failures + 1;
    await pause(pauseAfter(failures, Date.now() - began), reader.signal);
  }
}

/** At once after a stream that lived; longer and longer while none begins; each browser at its own moment. */
export function pauseAfter(failures: number, lifeMs: number, random: () => number = Math.random): number {
  const spread = 0.5 + random() / 2;
  if (failures > 0) return Math.min(longestPauseMs, shortPauseMs * 2 ** (failures - 1)) * spread;
  return lifeMs < shortLifeMs ? shortPauseMs * spread : 0;
}

async function readOnce(reader: StreamReader): Promise<"cut" | "signed-out"> {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), silenceLimitMs);
  try {
    const cursor = reader.cursor();
    const response = await reader.fetch(cursor === undefined ? "/changes" : `/changes?cursor=${cursor}`, {
      headers: { accept: "text/event-stream" },
      cache: "no-store",
      credentials: "same-origin",
      signal: AbortSignal.any([reader.signal, silence.signal]),
    });
    if (response.status === 401) return "signed-out";
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream");
    if (!response.ok || !isStream || !response.body) return "cut";
    const parser = new EventParser();
    const chunks = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await chunks.read();
      if (done) return "cut";
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), silenceLimitMs);
      pass(parser.push(value), reader);
    }
  } finally {
    clearTimeout(timer);
  }
}

function pass(events: ServerEvent[], reader: StreamReader) {
  let changes: Change[] = [];
  let last = 0;
  function flush() {
    if (changes.length > 0) reader.onChanges(changes, last);
    changes = [];
  }
  for (const { event, id, data } of events) {
    if (event === "change") {
      changes.push(JSON.parse(data) as Change);
      last = Number(id);
    } else if (event === "hello" || event === "reset") {
      flush();
      const { cursor } = JSON.parse(data) as { cursor: number };
      if (event === "hello") reader.onHello(cursor);
      else reader.onReset(cursor);
    }
  }
  flush();
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}
