// SPDX-License-Identifier: Apache-2.0
import { Button, Center, Group, PasswordInput, Stack, Text, TextInput, Title } from "@mantine/core";
import { useEffect, useState } from "react";
import { Logo } from "../../design/Logo";
import { Notice } from "../../design/Notice";
import { errorOf, forgetError, lastProject, rememberProject } from "./session";

/** The way in: an ordinary form, so that password managers and the cookie work as everywhere. */
export function LoginPage({ project }: { project: string | undefined }) {
  const [error] = useState(() => errorOf(document.cookie));
  const [projectId, setProjectId] = useState(project ?? lastProject());
  useEffect(forgetError, []);

  return (
    <Center mih="100vh" p="md" component="main">
      <Stack w={400} maw="100%" gap="lg">
        <Group justify="center" gap="sm">
          <Logo size={36} />
          <Title order={1} size="h2">
            PipeCD
          </Title>
        </Group>
        {error && (
          <Notice tone="bad" title="Login failed" role="alert">
            <pre>{error}</pre>
            <Text size="sm" mt={6}>
              Check project, user and password. An administrator of the control plane can set a new password.
            </Text>
          </Notice>
        )}
        <form
          className="panel"
          action="/auth/login/static"
          method="post"
          onSubmit={() => rememberProject(projectId.trim())}
        >
          <Stack p="xl" gap="md">
            <TextInput
              label="Project"
              name="project"
              required
              withAsterisk={false}
              autoComplete="organization"
              value={projectId}
              onChange={(event) => setProjectId(event.currentTarget.value)}
              autoFocus={projectId === ""}
            />
            <TextInput
              label="User"
              name="username"
              required
              withAsterisk={false}
              autoComplete="username"
              autoFocus={projectId !== ""}
            />
            <PasswordInput
              label="Password"
              name="password"
              required
              withAsterisk={false}
              autoComplete="current-password"
            />
            <Button type="submit" fullWidth mt="xs">
              Log in
            </Button>
          </Stack>
        </form>
      </Stack>
    </Center>
  );
}
