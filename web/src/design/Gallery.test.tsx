// SPDX-License-Identifier: Apache-2.0
import { MantineProvider } from "@mantine/core";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { CommitLabel } from "./CommitLabel";
import { Facts } from "./Facts";
import { ProblemNotice } from "./Notice";
import { RelativeTime } from "./RelativeTime";
import { statusWords } from "./status";
import { StatusBadge } from "./StatusBadge";

function show(node: React.ReactNode) {
  return render(<MantineProvider>{node}</MantineProvider>);
}

test("every status has a word and an icon beside its colour", () => {
  for (const word of statusWords) {
    const { container, unmount } = show(<StatusBadge word={word} />);

    expect(screen.getByText(word)).toBeInTheDocument();
    expect(container.querySelector("svg")).not.toBeNull();
    unmount();
  }
});

test("a problem says what and what to do, and can be tried again", async () => {
  const onRetry = vi.fn();
  show(
    <ProblemNotice problem={{ title: "Broken", message: "because", advice: "Mend it." }} onRetry={onRetry} />,
  );

  await userEvent.click(screen.getByRole("button", { name: "Try again" }));

  expect(screen.getByRole("alert")).toHaveTextContent("BrokenbecauseMend it.");
  expect(onRetry).toHaveBeenCalledOnce();
});

test("a problem names its request, to be quoted", () => {
  show(
    <ProblemNotice problem={{ title: "Broken", message: "", advice: "Mend it.", requestId: "0123abcd" }} />,
  );

  expect(screen.getByRole("alert")).toHaveTextContent("Request 0123abcd: name it when you ask for help.");
});

test("a relative time carries the absolute one", () => {
  show(<RelativeTime at={1_700_000_000} />);

  expect(screen.getByText(/ago$/)).toHaveAttribute("title", expect.stringContaining("2023"));
});

test("a fact without a value is left out", () => {
  show(
    <Facts
      rows={[
        ["Branch", "main"],
        ["Summary", ""],
        ["Ended", undefined],
      ]}
    />,
  );

  expect(screen.getAllByRole("term").map((term) => term.textContent)).toEqual(["Branch"]);
});

test("only a web address becomes a link", () => {
  show(<CommitLabel hash="0123456789" title="Say hello" url="javascript:alert(1)" />);

  expect(screen.queryByRole("link")).toBeNull();
});
