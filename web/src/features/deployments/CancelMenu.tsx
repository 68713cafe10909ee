// SPDX-License-Identifier: Apache-2.0
import { Button, Group, Menu, Modal, Text } from "@mantine/core";
import { IconBan, IconChevronDown } from "@tabler/icons-react";
import { useState } from "react";
import type { CancelWay } from "./useDeployment";

const ways: Record<CancelWay, { label: string; meaning: string }> = {
  "as-configured": {
    label: "Cancel",
    meaning:
      "The running stage is stopped. Whether it is rolled back is what the application's configuration says.",
  },
  "with-rollback": {
    label: "Cancel with rollback",
    meaning: "The running stage is stopped and everything this deployment has changed is rolled back.",
  },
  "without-rollback": {
    label: "Cancel without rollback",
    meaning: "The running stage is stopped and everything stays exactly as it is now, half done or not.",
  },
};
const order: CancelWay[] = ["as-configured", "with-rollback", "without-rollback"];

type Props = { applicationName: string; ordered: boolean; onCancel: (way: CancelWay) => void };

export function CancelMenu({ applicationName, ordered, onCancel }: Props) {
  const [asked, setAsked] = useState<CancelWay>();
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button
            variant="default"
            leftSection={<IconBan size={17} aria-hidden />}
            rightSection={<IconChevronDown size={14} aria-hidden />}
            disabled={ordered}
          >
            {ordered ? "Cancelling…" : "Cancel"}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {order.map((way) => (
            <Menu.Item key={way} onClick={() => setAsked(way)}>
              {ways[way].label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <Modal.Root opened={asked !== undefined} onClose={() => setAsked(undefined)} centered>
        <Modal.Overlay />
        <Modal.Content>
          <Modal.Body p="lg">
            {asked && (
              <Question
                way={asked}
                applicationName={applicationName}
                onNo={() => setAsked(undefined)}
                onYes={() => {
                  setAsked(undefined);
                  onCancel(asked);
                }}
              />
            )}
          </Modal.Body>
        </Modal.Content>
      </Modal.Root>
    </>
  );
}

type QuestionProps = { way: CancelWay; applicationName: string; onNo: () => void; onYes: () => void };

function Question({ way, applicationName, onNo, onYes }: QuestionProps) {
  const { label, meaning } = ways[way];
  return (
    <>
      <Modal.Title fw={650} mb="sm">
        {label}?
      </Modal.Title>
      <Text size="sm">
        This ends the deployment of <strong>{applicationName}</strong>. {meaning}
      </Text>
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={onNo} data-autofocus>
          Keep it running
        </Button>
        <Button color="#a1242b" onClick={onYes}>
          {label}
        </Button>
      </Group>
    </>
  );
}
