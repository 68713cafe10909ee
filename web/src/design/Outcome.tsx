// SPDX-License-Identifier: Apache-2.0
import { Group } from "@mantine/core";
import type { StatusWord } from "./status";
import { StatusBadge } from "./StatusBadge";

// Here the outcome only says the status again.
const same: Partial<Record<string, string>> = {
  Success: "Succeeded",
  Failure: "Failed",
  Cancelled: "Cancelled",
};

/** A deployment's status, and beside it how it truly ended where that says more. */
export function Outcome({ word, outcome }: { word: StatusWord; outcome: StatusWord | undefined }) {
  return (
    <Group gap={6}>
      <StatusBadge word={word} />
      {outcome && same[word] !== outcome && <StatusBadge word={outcome} title="How it ended" />}
    </Group>
  );
}
