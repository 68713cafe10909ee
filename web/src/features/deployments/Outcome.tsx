// SPDX-License-Identifier: Apache-2.0
import { Group } from "@mantine/core";
import { StatusBadge } from "../../design/StatusBadge";
import type { DeploymentView } from "./deployment";

// Here the outcome only says the status again.
const same: Partial<Record<string, string>> = {
  Success: "Succeeded",
  Failure: "Failed",
  Cancelled: "Cancelled",
};

/** The status, and beside it how the deployment truly ended where that says more. */
export function Outcome({ deployment: { word, outcome } }: { deployment: DeploymentView }) {
  return (
    <Group gap={6}>
      <StatusBadge word={word} />
      {outcome && same[word] !== outcome && <StatusBadge word={outcome} title="How it ended" />}
    </Group>
  );
}
