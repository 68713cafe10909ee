// SPDX-License-Identifier: Apache-2.0
import { Button, Group, Table, Text, Title } from "@mantine/core";
import { IconRefresh } from "@tabler/icons-react";
import { useState } from "react";
import { Facts } from "../../design/Facts";
import { ProblemNotice } from "../../design/Notice";
import { Panel, SkeletonRows } from "../../design/Panel";
import { RelativeTime, useIsOlder } from "../../design/RelativeTime";
import { StatusBadge } from "../../design/StatusBadge";
import type { whyInSync } from "./application";
import type { LiveStateView, ResourceView, TargetView } from "./liveState";
import type { useLiveState } from "./useLiveState";

const staleAfter = 12 * 60; // agents repeat every ten minutes what has not changed
const firstRows = 50;

type Sync = ReturnType<typeof whyInSync>;
type Props = ReturnType<typeof useLiveState> & { sync: Sync };

/** What really runs, and how that compares with Git. */
export function LiveStatePanel({ sync, state, problem, looking, unanswered, onRefresh }: Props) {
  const aside = (
    <Group gap="sm">
      {state && state.at > 0 && (
        <Text size="sm" c="dimmed">
          as of <RelativeTime at={state.at} />
        </Text>
      )}
      <Button
        size="xs"
        variant="default"
        leftSection={<IconRefresh size={15} aria-hidden />}
        loading={looking}
        disabled={!state}
        onClick={onRefresh}
      >
        Refresh
      </Button>
    </Group>
  );
  return (
    <Panel title="Live state" aside={aside}>
      {problem && <ProblemNotice problem={problem} onRetry={onRefresh} />}
      {!problem && !state && <SkeletonRows rows={3} label="Loading the live state" />}
      {state && (
        <>
          <Facts
            rows={[
              ["Sync", <Why key="sync" sync={sync} />],
              ["Health", state.at > 0 && <Health key="health" state={state} />],
            ]}
          />
          <Notes state={state} looking={looking} unanswered={unanswered} />
          {state.targets.map((target) => (
            <Target key={target.name} target={target} />
          ))}
          {state.at === 0 && (
            <>
              <Text fw={600} mt="md">
                Nothing was reported yet
              </Text>
              <Text size="sm" c="dimmed" maw={720}>
                What runs is told by plugins that offer live state, for the deploy targets of this
                application. If there is such a plugin, its first report appears here by itself.
              </Text>
            </>
          )}
        </>
      )}
    </Panel>
  );
}

function Why({ sync: { word, short, whole } }: { sync: Sync }) {
  return (
    <>
      <Group gap="sm">
        <StatusBadge word={word} />
        {short && <span>{short}</span>}
      </Group>
      {whole && (
        <details className="whole">
          <summary>The whole reason</summary>
          <pre>{whole}</pre>
        </details>
      )}
    </>
  );
}

function Health({ state: { health, count, troubled } }: { state: LiveStateView }) {
  const resources = count === 1 ? "one resource" : `${count} resources`;
  return (
    <Group gap="sm">
      <StatusBadge word={health} />
      <span>{troubled > 0 ? `${troubled} of ${resources} not healthy` : resources}</span>
    </Group>
  );
}

type NotesProps = { state: LiveStateView; looking: boolean; unanswered: boolean };

/** Why what is shown may not be what runs. */
function Notes({ state: { at }, looking, unanswered }: NotesProps) {
  const old = useIsOlder(at, staleAfter);
  return (
    <div role="status">
      {unanswered && (
        <Text size="sm" mt="sm">
          No newer report has come. The agent may be away, its plugin slow, or it is an agent that cannot be
          asked and reports in its own time.
        </Text>
      )}
      {at > 0 && old && !looking && !unanswered && (
        <Text size="sm" mt="sm">
          This is what was last reported, some time ago; it may be different now. Check that the agent is
          running.
        </Text>
      )}
    </div>
  );
}

function Target({ target: { name, resources } }: { target: TargetView }) {
  const [all, setAll] = useState(false);
  const rows = all ? resources : resources.slice(0, firstRows);
  return (
    <section aria-label={name}>
      <Title order={3} size="h6" mt="lg" mb={6}>
        {name}
      </Title>
      <Table.ScrollContainer minWidth={760} tabIndex={0} aria-label={`Resources of ${name}`}>
        <Table verticalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th w="30%">Name</Table.Th>
              <Table.Th w="15%">Kind</Table.Th>
              <Table.Th w="13%">Namespace</Table.Th>
              <Table.Th>Health</Table.Th>
              <Table.Th w={130}>Created</Table.Th>
              <Table.Th w={130}>Updated</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((resource, index) => (
              <Resource key={`${resource.id} ${index}`} resource={resource} />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {rows.length < resources.length && (
        <Button size="xs" variant="default" mt="xs" onClick={() => setAll(true)}>
          {`Show all ${resources.length}`}
        </Button>
      )}
    </section>
  );
}

function Resource({ resource }: { resource: ResourceView }) {
  const { name, kind, namespace, word, why, depth, createdAt, updatedAt } = resource;
  return (
    <Table.Tr>
      <Table.Td style={{ paddingLeft: 10 + 20 * Math.min(depth, 8), overflowWrap: "anywhere" }}>
        {name}
      </Table.Td>
      <Table.Td>{kind}</Table.Td>
      <Table.Td>{namespace}</Table.Td>
      <Table.Td>
        <StatusBadge word={word} />
        {why && (
          <Text size="sm" c="dimmed" mt={4} style={{ overflowWrap: "anywhere" }}>
            {why}
          </Text>
        )}
      </Table.Td>
      <Table.Td>{createdAt > 0 && <RelativeTime at={createdAt} />}</Table.Td>
      <Table.Td>{updatedAt > 0 && <RelativeTime at={updatedAt} />}</Table.Td>
    </Table.Tr>
  );
}
