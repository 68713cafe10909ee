// SPDX-License-Identifier: Apache-2.0
import { Breadcrumbs, Group, Stack, Table, Text, Title } from "@mantine/core";
import { IconHeartbeat } from "@tabler/icons-react";
import { EmptyState } from "../../design/EmptyState";
import { Facts } from "../../design/Facts";
import { ProblemNotice } from "../../design/Notice";
import { Panel, SkeletonRows } from "../../design/Panel";
import { RelativeTime } from "../../design/RelativeTime";
import { StatusBadge } from "../../design/StatusBadge";
import { TextLink } from "../../design/TextLink";
import type { HealthPart, PipedView } from "./piped";
import { usePiped, usePipedHealth } from "./usePipeds";

export function PipedPage({ id }: { id: string }) {
  const { piped, problem, onRetry } = usePiped(id);
  return (
    <Stack gap="lg">
      <title>{`${piped?.name ?? "Agent"} · PipeCD`}</title>
      <Breadcrumbs fz="sm">
        <TextLink to="/agents">Agents</TextLink>
        <Text size="sm">{piped?.name ?? "…"}</Text>
      </Breadcrumbs>
      <Group gap="md">
        <Title order={1} size="h2">
          {piped?.name ?? "Agent"}
        </Title>
        {piped && <StatusBadge word={piped.word} />}
      </Group>
      {problem && <ProblemNotice problem={problem} onRetry={onRetry} />}
      {!problem && !piped && (
        <Panel>
          <SkeletonRows rows={4} label="Loading the agent" />
        </Panel>
      )}
      {piped && (
        <>
          <Details piped={piped} />
          <Health id={id} />
        </>
      )}
    </Stack>
  );
}

function Details({ piped }: { piped: PipedView }) {
  return (
    <Panel title="Details">
      <Facts
        rows={[
          ["Description", piped.description],
          ["Version", piped.version],
          ["Started", piped.startedAt > 0 && <RelativeTime at={piped.startedAt} />],
          ["Repositories", piped.repositories.join(", ")],
          ["Plugins", piped.plugins.join(", ")],
          ["Id", piped.id],
        ]}
      />
    </Panel>
  );
}

/** How the agent's plugins and everything else it stands on do, as it tells itself. */
function Health({ id }: { id: string }) {
  const { health, problem } = usePipedHealth(id);
  const told = health && health.toldAt > 0;
  return (
    <Panel title="Health" flush aside={told && <RelativeTime at={health.toldAt} />}>
      {problem && <ProblemNotice problem={problem} />}
      {!problem && !health && <SkeletonRows rows={3} label="Loading the agent's health" />}
      {told && <HealthTable parts={health.parts} />}
      {health && !told && (
        <EmptyState icon={IconHeartbeat} title="Nothing was told of late" level={2}>
          The agent does not run, or it is one that does not tell. Ask <code>/healthz</code> on its admin
          port.
        </EmptyState>
      )}
    </Panel>
  );
}

function HealthTable({ parts }: { parts: HealthPart[] }) {
  return (
    <Table.ScrollContainer minWidth={620}>
      <Table verticalSpacing="sm" horizontalSpacing="lg">
        <Table.Thead>
          <Table.Tr>
            <Table.Th w="24%">What</Table.Th>
            <Table.Th w={130}>Status</Table.Th>
            <Table.Th>In words</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {parts.map((part) => (
            <Table.Tr key={part.key}>
              <Table.Td>
                {part.kind} {part.name}
              </Table.Td>
              <Table.Td>
                <StatusBadge word={part.word} />
              </Table.Td>
              <Table.Td>
                {part.detail}
                {part.advice && (
                  <Text size="sm" c="dimmed" mt={4}>
                    {part.advice}
                  </Text>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
