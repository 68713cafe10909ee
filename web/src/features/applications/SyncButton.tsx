// SPDX-License-Identifier: Apache-2.0
import { ActionIcon, Button, Group, Menu, Text } from "@mantine/core";
import { IconChevronDown, IconRefresh } from "@tabler/icons-react";
import { Notice, ProblemNotice } from "../../design/Notice";
import { TextLink } from "../../design/TextLink";
import type { SyncProgress } from "./application";
import type { SyncWay, useSync } from "./useApplication";

type Props = { onSync: (way: SyncWay) => void; busy: boolean; disabled: boolean };

export function SyncButton({ onSync, busy, disabled }: Props) {
  return (
    <Group gap={1} wrap="nowrap">
      <Button
        leftSection={<IconRefresh size={17} aria-hidden />}
        loading={busy}
        disabled={disabled}
        style={{ borderTopRightRadius: 0, borderBottomRightRadius: 0 }}
        onClick={() => onSync("auto")}
      >
        Sync
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon
            size={36}
            variant="filled"
            disabled={disabled || busy}
            aria-label="Other ways to sync"
            style={{ borderTopLeftRadius: 0, borderBottomLeftRadius: 0 }}
          >
            <IconChevronDown size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => onSync("quick")}>
            Quick sync
            <Text size="xs" c="dimmed">
              Apply the commit at once, without the pipeline
            </Text>
          </Menu.Item>
          <Menu.Item onClick={() => onSync("pipeline")}>
            Pipeline sync
            <Text size="xs" c="dimmed">
              Walk the whole pipeline, even for a small change
            </Text>
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </Group>
  );
}

/** What became of an order to sync, where the person gave it. */
export function SyncNews({ progress, problem }: Pick<ReturnType<typeof useSync>, "progress" | "problem">) {
  if (problem) return <ProblemNotice problem={problem} />;
  return <ProgressNotice progress={progress} />;
}

function ProgressNotice({ progress }: { progress: SyncProgress }) {
  switch (progress.step) {
    case "none":
      return null;
    case "waiting":
      return (
        <Notice tone="active" title="Sync ordered" role="status">
          <Text size="sm">Waiting for the agent to start a deployment.</Text>
        </Notice>
      );
    case "started":
      return (
        <Notice tone="ok" title="Deployment started" role="status">
          <TextLink
            to="/deployments/$deploymentId"
            params={{ deploymentId: progress.deploymentId }}
            c="inherit"
            td="underline"
            size="sm"
          >
            Open the deployment
          </TextLink>
        </Notice>
      );
    case "nothing":
      return (
        <Notice tone="quiet" title="The agent found nothing to deploy" role="status">
          <Text size="sm">What runs is already what the repository says.</Text>
        </Notice>
      );
    case "failed":
      return (
        <Notice tone="bad" title="The sync did not start" role="alert">
          <Text size="sm">{progress.why} Check that the agent is running; its log tells more.</Text>
        </Notice>
      );
  }
}
