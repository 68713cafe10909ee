// SPDX-License-Identifier: Apache-2.0
import { Stack, Text, Title } from "@mantine/core";
import type { Icon } from "@tabler/icons-react";
import type { ReactNode } from "react";

/** Nothing to show, why that is, and what would change it. */
export function EmptyState({
  icon: Icon,
  title,
  level = 2,
  children,
}: {
  icon: Icon;
  title: string;
  level?: 1 | 2;
  children: ReactNode;
}) {
  return (
    <Stack align="center" gap="xs" py={56} px="md">
      <Icon size={36} stroke={1.4} color="var(--mantine-color-dimmed)" aria-hidden />
      <Title order={level} size="h4">
        {title}
      </Title>
      <Text component="div" c="dimmed" ta="center" maw={520}>
        {children}
      </Text>
    </Stack>
  );
}
