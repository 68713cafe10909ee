// SPDX-License-Identifier: Apache-2.0
import { lookOf, type StatusWord } from "./status";

const moving: StatusWord[] = ["Running", "Deploying"];

/** A status as icon and word; the colour only repeats what they say. */
export function StatusBadge({ word, title }: { word: StatusWord; title?: string | undefined }) {
  const { tone } = lookOf(word);
  return (
    <span className={`status tone-${tone}`} title={title}>
      <StatusIcon word={word} size={15} />
      {word}
    </span>
  );
}

export function StatusIcon({ word, size }: { word: StatusWord; size: number }) {
  const { icon: Icon } = lookOf(word);
  return (
    <Icon size={size} stroke={2} aria-hidden className={moving.includes(word) ? "turning" : undefined} />
  );
}
