// SPDX-License-Identifier: Apache-2.0
import { Group, Text, Title } from "@mantine/core";
import { ProblemNotice } from "../../design/Notice";
import { StatusBadge } from "../../design/StatusBadge";
import type { StageView } from "./deployment";
import { LogView } from "./LogView";
import { useStageLog } from "./useStageLog";

/** One stage: how it stands, why, and what it wrote. */
export function StagePanel({ deploymentId, stage }: { deploymentId: string; stage: StageView }) {
  const { id: stageId, retries, started } = stage;
  const { log, problem, onRetry } = useStageLog({ deploymentId, stageId, retries, started });
  const lines = log?.lines ?? [];
  return (
    <section className="panel" aria-label={`Stage ${stage.name}`} style={{ overflow: "hidden" }}>
      <Group px="lg" pt="md" pb="sm" gap="md">
        <Title order={2} size="h5">
          {stage.name}
        </Title>
        <StatusBadge word={stage.word} />
        {stage.rollback && (
          <Text size="sm" c="dimmed">
            Rollback
          </Text>
        )}
        <Text size="sm" c="dimmed">
          {stage.description}
        </Text>
      </Group>
      {stage.reason && (
        <Text size="sm" px="lg" pb="sm" style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
          {stage.reason}
        </Text>
      )}
      {stage.notes.map(([name, value]) => (
        <Text key={name} size="sm" px="lg" pb="xs">
          <Text span c="dimmed" inherit>
            {name}:{" "}
          </Text>
          {value}
        </Text>
      ))}
      {problem && <ProblemNotice problem={problem} onRetry={onRetry} />}
      <LogView
        key={`${stageId} ${retries}`}
        lines={lines}
        name={`Log of stage ${stage.name}`}
        fileName={`${deploymentId.slice(0, 8)}-${stage.name}.log`}
        empty={
          started
            ? "Nothing written yet. Lines appear here as they are written."
            : "This stage has not started."
        }
      />
    </section>
  );
}
