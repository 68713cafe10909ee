// SPDX-License-Identifier: Apache-2.0
import { ActionIcon, Container, Group, Text, useMantineColorScheme } from "@mantine/core";
import { useComputedColorScheme } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { IconMoon, IconPlugConnectedX, IconSun } from "@tabler/icons-react";
import { Link, Outlet, useNavigate } from "@tanstack/react-router";
import { useSyncExternalStore } from "react";
import { Logo } from "../design/Logo";
import { UserMenu } from "../features/session/UserMenu";
import type { LiveUpdates } from "./live";
import classes from "./Shell.module.css";

/** What surrounds every page: where one is, where one can go, whether the page is live. */
export function Shell({ live }: { live: LiveUpdates }) {
  const navigate = useNavigate();
  useHotkeys([
    ["shift+A", () => void navigate({ to: "/applications" })],
    ["shift+D", () => void navigate({ to: "/deployments" })],
    ["shift+P", () => void navigate({ to: "/agents" })],
    ["/", () => document.querySelector<HTMLInputElement>("[data-page-search]")?.focus()],
  ]);

  return (
    <>
      <a href="#content" className="skip-link">
        Skip to content
      </a>
      <header className={classes.header}>
        <Container size="xl" h="100%">
          <Group h="100%" gap="xl" wrap="nowrap">
            <Link to="/applications" className={classes.brand}>
              <Logo size={26} />
              PipeCD
            </Link>
            <nav aria-label="Main" className={classes.nav}>
              <Link to="/applications" title="Shift + A">
                Applications
              </Link>
              <Link to="/deployments" title="Shift + D">
                Deployments
              </Link>
              <Link to="/agents" title="Shift + P">
                Agents
              </Link>
            </nav>
            <Group gap="xs" ml="auto" wrap="nowrap">
              <Connection live={live} />
              <SchemeButton />
              <UserMenu />
            </Group>
          </Group>
        </Container>
      </header>
      <Container size="xl" py="xl" component="main" id="content" tabIndex={-1}>
        <Outlet />
      </Container>
    </>
  );
}

function Connection({ live }: { live: LiveUpdates }) {
  const connected = useSyncExternalStore(live.watch, live.isConnected);
  return (
    <span role="status">
      {!connected && (
        <Text size="sm" className="status tone-warn" title="What you see may be old. The page keeps trying.">
          <IconPlugConnectedX size={15} aria-hidden />
          Reconnecting…
        </Text>
      )}
    </span>
  );
}

function SchemeButton() {
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme("light");
  const other = scheme === "dark" ? "light" : "dark";
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      c="var(--mantine-color-text)"
      size="lg"
      aria-label={`Use the ${other} scheme`}
      onClick={() => setColorScheme(other)}
    >
      {other === "dark" ? <IconMoon size={18} /> : <IconSun size={18} />}
    </ActionIcon>
  );
}
