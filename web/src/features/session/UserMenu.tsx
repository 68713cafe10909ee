// SPDX-License-Identifier: Apache-2.0
import { Button, Menu, Text } from "@mantine/core";
import { IconChevronDown, IconLogout, IconUser } from "@tabler/icons-react";
import { useSession } from "./useSession";

export function UserMenu() {
  const { user, project } = useSession();
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          c="var(--mantine-color-text)"
          leftSection={<IconUser size={18} aria-hidden />}
          rightSection={<IconChevronDown size={14} aria-hidden />}
        >
          {user}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Text size="sm" px="sm" py={6} c="dimmed">
          Project {project}
        </Text>
        <Menu.Divider />
        <Menu.Item component="a" href="/auth/logout" leftSection={<IconLogout size={16} aria-hidden />}>
          Log out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
