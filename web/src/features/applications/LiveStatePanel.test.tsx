// SPDX-License-Identifier: Apache-2.0
import { MantineProvider } from "@mantine/core";
import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { LiveStatePanel } from "./LiveStatePanel";

type Props = React.ComponentProps<typeof LiveStatePanel>;

const now = Math.floor(Date.now() / 1000);
const quiet = { problem: undefined, looking: false, unanswered: false, onRefresh: () => undefined };
const sync: Props["sync"] = { word: "Out of sync", short: "2 files differ", whole: "index.html\nstyle.css" };
const nothing = { at: 0, health: "Unknown" as const, count: 0, troubled: 0, targets: [] };
const pod = (name: string): NonNullable<Props["state"]>["targets"][number]["resources"][number] => ({
  id: name,
  parents: [],
  name,
  kind: "Pod",
  namespace: "shop",
  word: "Unhealthy",
  why: "the image cannot be pulled",
  createdAt: now - 600,
  updatedAt: now - 300,
  depth: 0,
});
const some = (resources = [pod("web-1")], at = now) => ({
  at,
  health: "Unhealthy" as const,
  count: resources.length,
  troubled: 1,
  targets: [{ name: "kubernetes: prod", resources }],
});

function show(props: Partial<Props>) {
  return render(
    <MantineProvider>
      <LiveStatePanel {...quiet} sync={sync} state={some()} {...props} />
    </MantineProvider>,
  );
}

test("what runs is shown by target, with health and times", () => {
  show({});

  const target = within(screen.getByRole("region", { name: "kubernetes: prod" }));
  expect(target.getAllByRole("cell").map((cell) => cell.textContent)).toEqual([
    "web-1",
    "Pod",
    "shop",
    "Unhealthythe image cannot be pulled",
    "10 minutes ago",
    "5 minutes ago",
  ]);
  expect(screen.getByText("1 of one resource not healthy")).toBeInTheDocument();
  expect(screen.getByText("as of", { exact: false })).toHaveTextContent("as of just now");
});

test("the reason is short until it is opened", async () => {
  show({});
  expect(screen.getByText("2 files differ")).toBeVisible();
  expect(screen.getByText(/style\.css/)).not.toBeVisible();

  await userEvent.click(screen.getByText("The whole reason"));

  expect(screen.getByText(/style\.css/)).toBeVisible();
});

test("what nobody reported says who would", () => {
  show({ state: nothing });

  expect(screen.getByText("Nothing was reported yet")).toBeInTheDocument();
  expect(screen.queryByText("as of", { exact: false })).toBeNull();
  expect(screen.getByText("Out of sync")).toBeInTheDocument();
});

test("a failure is told, and can be tried again", async () => {
  const onRefresh = vi.fn();
  show({ state: undefined, problem: { title: "Broken", message: "because", advice: "Mend it." }, onRefresh });

  await userEvent.click(screen.getByRole("button", { name: "Try again" }));

  expect(screen.getByRole("alert")).toHaveTextContent("because");
  expect(onRefresh).toHaveBeenCalledOnce();
});

test("an old report says that it is old", () => {
  show({ state: some([pod("web-1")], now - 3_600) });

  expect(screen.getByRole("status")).toHaveTextContent("it may be different now");
});

test("a wish is made by the button, and one that nobody hears is told", async () => {
  const onRefresh = vi.fn();
  const { unmount } = show({ onRefresh });
  await userEvent.click(screen.getByRole("button", { name: "Refresh" }));
  expect(onRefresh).toHaveBeenCalledOnce();
  expect(screen.getByRole("status")).toBeEmptyDOMElement();
  unmount();

  show({ unanswered: true });
  expect(screen.getByRole("status")).toHaveTextContent("No newer report has come");
});

test("of very many resources the first are shown, and all on demand", async () => {
  const { container } = show({ state: some(Array.from({ length: 52 }, (_, n) => pod(`web-${n}`))) });
  expect(container.querySelectorAll("tbody tr")).toHaveLength(50);

  await userEvent.click(screen.getByText("Show all 52"));

  expect(container.querySelectorAll("tbody tr")).toHaveLength(52);
});
