// SPDX-License-Identifier: Apache-2.0
import { Button, Code, Group, Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { Tone } from "./status";

type NoticeProps = { tone: Tone; title: string; children?: ReactNode; role?: "alert" | "status" };

export function Notice({ tone, title, children, role }: NoticeProps) {
  return (
    <div className={`notice tone-${tone}`} role={role}>
      <Text fw={600} className="notice-title">
        {title}
      </Text>
      {children}
    </div>
  );
}

type ProblemProps = {
  problem: { title: string; message: string; advice: string; requestId?: string };
  onRetry?: () => void;
};

/** What went wrong and what to do about it. */
export function ProblemNotice({ problem, onRetry }: ProblemProps) {
  return (
    <Notice tone="bad" title={problem.title} role="alert">
      {problem.message && <pre>{problem.message}</pre>}
      <Group mt={6} gap="md">
        <Text size="sm">{problem.advice}</Text>
        {onRetry && (
          <Button size="xs" variant="default" onClick={onRetry}>
            Try again
          </Button>
        )}
      </Group>
      {problem.requestId && (
        <Text size="xs" c="dimmed" mt={6}>
          Request <Code>{problem.requestId}</Code>: name it when you ask for help.
        </Text>
      )}
    </Notice>
  );
}
