// SPDX-License-Identifier: Apache-2.0
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef, useState } from "react";
import { asText, matches, type LogLine } from "./log";
import { LogTools } from "./LogTools";
import { LogRow } from "./LogRow";
import classes from "./LogView.module.css";

const rowHeight = 20;
type Props = { lines: LogLine[]; name: string; fileName: string; empty: string };

/** A log of any length: only the lines in sight are drawn, and the end stays in sight until one scrolls up. */
export function LogView({ lines, name, fileName, empty }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const [following, setFollowing] = useState(true);
  const [words, setWords] = useState("");
  const [hit, setHit] = useState(0);
  const hits = useMemo(() => matches(lines, words), [lines, words]);
  // eslint-disable-next-line react-hooks/incompatible-library -- its functions change by design; nothing here memoises them
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  });

  useEffect(() => {
    if (following && lines.length > 0) rows.scrollToIndex(lines.length - 1, { align: "end" });
  }, [following, lines.length, rows]);

  function onScroll() {
    const box = frame.current;
    if (!box) return;
    setFollowing(box.scrollHeight - box.scrollTop - box.clientHeight < rowHeight * 2);
  }

  function goTo(next: number) {
    if (hits.length === 0) return;
    const at = (next + hits.length) % hits.length;
    setHit(at);
    setFollowing(false);
    rows.scrollToIndex(hits[at] ?? 0, { align: "center" });
  }

  function onWords(next: string) {
    setWords(next);
    setHit(0);
    const first = matches(lines, next)[0];
    if (first === undefined) return;
    setFollowing(false);
    rows.scrollToIndex(first, { align: "center" });
  }

  const digits = String(lines.length).length;
  return (
    <div>
      <LogTools
        words={words}
        onWords={onWords}
        hits={hits.length}
        hit={hit}
        onNext={() => goTo(hit + 1)}
        onPrevious={() => goTo(hit - 1)}
        following={following}
        onFollow={() => setFollowing(!following)}
        onDownload={() => download(fileName, asText(lines))}
        count={lines.length}
      />
      <div
        ref={frame}
        className={classes.frame}
        style={{ height: Math.max(200, lines.length * rowHeight + 20) }}
        onScroll={onScroll}
        tabIndex={0}
        role="region"
        aria-label={name}
      >
        {lines.length === 0 && <p className={classes.empty}>{empty}</p>}
        <div className={classes.sheet} style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map((row) => {
            const line = lines[row.index];
            if (!line) return null;
            return (
              <LogRow
                key={row.key}
                line={line}
                number={row.index + 1}
                digits={digits}
                top={row.start}
                words={words}
                current={hits[hit] === row.index}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

function download(fileName: string, text: string) {
  const address = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = fileName;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000); // the browser reads it after the click
}
