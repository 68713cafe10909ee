// SPDX-License-Identifier: Apache-2.0
import { Code, Group } from "@mantine/core";

export function Labels({ labels }: { labels: Record<string, string> }) {
  const entries = Object.entries(labels);
  if (entries.length === 0) return null;
  return (
    <Group gap={6}>
      {entries.map(([name, value]) => (
        <Code key={name}>{`${name}: ${value}`}</Code>
      ))}
    </Group>
  );
}
