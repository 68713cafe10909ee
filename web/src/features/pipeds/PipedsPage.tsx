// SPDX-License-Identifier: Apache-2.0
import { Stack, Table, Title } from "@mantine/core";
import { IconRobot } from "@tabler/icons-react";
import { EmptyState } from "../../design/EmptyState";
import { ProblemNotice } from "../../design/Notice";
import { Panel, SkeletonRows } from "../../design/Panel";
import { RelativeTime } from "../../design/RelativeTime";
import { StatusBadge } from "../../design/StatusBadge";
import { TextLink } from "../../design/TextLink";
import type { PipedView } from "./piped";
import { usePipeds } from "./usePipeds";

export function PipedsPage() {
  const { pipeds, problem, onRetry } = usePipeds();
  return (
    <Stack gap="lg">
      <title>Agents · PipeCD</title>
      <Title order={1} size="h2">
        Agents
      </Title>
      {problem && <ProblemNotice problem={problem} onRetry={onRetry} />}
      {!problem && (
        <Panel flush>
          {!pipeds && <SkeletonRows rows={3} label="Loading agents" />}
          {pipeds && pipeds.length > 0 && <PipedTable pipeds={pipeds} />}
          {pipeds?.length === 0 && (
            <EmptyState icon={IconRobot} title="No agents yet">
              An agent runs beside what you deploy to. Register one with <code>pipectl piped register</code>{" "}
              and start it with <code>piped run</code>.
            </EmptyState>
          )}
        </Panel>
      )}
    </Stack>
  );
}

function PipedTable({ pipeds }: { pipeds: PipedView[] }) {
  return (
    <Table.ScrollContainer minWidth={620}>
      <Table verticalSpacing="sm" horizontalSpacing="lg" highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th>Status</Table.Th>
            <Table.Th>Version</Table.Th>
            <Table.Th>Started</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {pipeds.map(({ id, name, word, version, startedAt }) => (
            <Table.Tr key={id}>
              <Table.Td>
                <TextLink to="/agents/$pipedId" params={{ pipedId: id }} fw={600}>
                  {name}
                </TextLink>
              </Table.Td>
              <Table.Td>
                <StatusBadge word={word} />
              </Table.Td>
              <Table.Td>{version}</Table.Td>
              <Table.Td>{startedAt > 0 && <RelativeTime at={startedAt} />}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
