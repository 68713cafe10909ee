// SPDX-License-Identifier: Apache-2.0
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { problemOf } from "../../api/problem";
import { applicationsQuery, deploymentPagesQuery } from "../../api/queries";
import { deploymentView, statusOf } from "./deployment";

export type DeploymentChoice = { status?: string | undefined; application?: string | undefined };

export function useDeployments({ status, application }: DeploymentChoice) {
  const query = useInfiniteQuery({
    ...deploymentPagesQuery({ status: statusOf(status), applicationId: application, pageSize: 30 }),
    placeholderData: (previous) => previous, // the list stays while a filter changes
  });
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = query;
  return {
    deployments: data?.pages.flatMap((page) => page.deployments).map(deploymentView),
    problem: data ? undefined : problemOf(error),
    onRetry: () => void refetch(),
    more: hasNextPage,
    loadingMore: isFetchingNextPage,
    onMore: () => void fetchNextPage(),
  };
}

/** Applications a list can be narrowed to. */
export function useApplicationChoices() {
  const { data } = useQuery(applicationsQuery);
  return (data ?? [])
    .filter((application) => !application.deleted)
    .map(({ id, name }) => ({ value: id, label: name }))
    .sort((one, other) => one.label.localeCompare(other.label));
}
