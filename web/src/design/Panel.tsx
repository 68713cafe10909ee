// SPDX-License-Identifier: Apache-2.0
import { Group, Skeleton, Stack, Title } from "@mantine/core";
import type { ReactNode } from "react";

type PanelProps = { title?: string; aside?: ReactNode; children: ReactNode; flush?: boolean };

export function Panel({ title, aside, children, flush }: PanelProps) {
  return (
    <section className="panel" aria-label={title} style={{ overflow: "hidden" }}>
      {title && (
        <Group justify="space-between" px="lg" pt="md" pb={flush ? "sm" : 0}>
          <Title order={2} size="h5">
            {title}
          </Title>
          {aside}
        </Group>
      )}
      <div style={flush ? undefined : { padding: "14px 20px 20px" }}>{children}</div>
    </section>
  );
}

/** The place of rows that are on their way. */
export function SkeletonRows({ rows, label }: { rows: number; label: string }) {
  return (
    <Stack gap="sm" p="lg" role="status" aria-label={label}>
      {Array.from({ length: rows }, (_, row) => (
        <Skeleton key={row} height={28} radius="sm" />
      ))}
    </Stack>
  );
}
