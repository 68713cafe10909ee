// SPDX-License-Identifier: Apache-2.0
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { health, web } from "./client";
import { keys, type DeploymentFilter } from "./keys";
import { isNotFound } from "./problem";

export const sessionQuery = queryOptions({
  queryKey: keys.session,
  queryFn: ({ signal }) => web.getMe({}, { signal }),
  staleTime: Infinity,
});

export const applicationsQuery = queryOptions({
  queryKey: keys.applications,
  queryFn: async ({ signal }) => (await web.listApplications({ options: {} }, { signal })).applications,
});

export function applicationQuery(id: string) {
  return queryOptions({
    queryKey: keys.application(id),
    queryFn: async ({ signal }) =>
      present((await web.getApplication({ applicationId: id }, { signal })).application),
  });
}

/** What really runs, as last reported; null before the first report. To read it is to wish for a newer one. */
export function liveStateQuery(applicationId: string) {
  return queryOptions({
    queryKey: keys.liveState(applicationId),
    queryFn: async ({ signal }) => {
      try {
        return present((await web.getApplicationLiveState({ applicationId }, { signal })).snapshot);
      } catch (error) {
        if (isNotFound(error)) return null;
        throw error;
      }
    },
  });
}

export function deploymentPagesQuery(filter: DeploymentFilter) {
  return infiniteQueryOptions({
    queryKey: keys.deploymentPages(filter),
    queryFn: ({ signal, pageParam }) =>
      web.listDeployments(
        {
          options: {
            statuses: filter.status === undefined ? [] : [filter.status],
            applicationIds: filter.applicationId ? [filter.applicationId] : [],
          },
          pageSize: filter.pageSize,
          cursor: pageParam,
        },
        { signal },
      ),
    initialPageParam: "",
    // A page that is not full is the last one, whatever cursor comes with it.
    getNextPageParam: (page) =>
      page.cursor && page.deployments.length >= filter.pageSize ? page.cursor : undefined,
  });
}

export function deploymentQuery(id: string) {
  return queryOptions({
    queryKey: keys.deployment(id),
    queryFn: async ({ signal }) =>
      present((await web.getDeployment({ deploymentId: id }, { signal })).deployment),
  });
}

export function commandQuery(id: string) {
  return queryOptions({
    queryKey: keys.command(id),
    queryFn: async ({ signal }) => present((await web.getCommand({ commandId: id }, { signal })).command),
  });
}

export const pipedsQuery = queryOptions({
  queryKey: keys.pipeds,
  queryFn: async ({ signal }) => (await web.listPipeds({ withStatus: true, options: {} }, { signal })).pipeds,
  refetchInterval: 30_000, // that an agent falls silent is no change anybody tells
});

export function pipedQuery(id: string) {
  return queryOptions({
    queryKey: keys.piped(id),
    queryFn: async ({ signal }) => present((await web.getPiped({ pipedId: id }, { signal })).piped),
    refetchInterval: 30_000,
  });
}

export function pipedHealthQuery(id: string) {
  return queryOptions({
    queryKey: keys.pipedHealth(id),
    queryFn: ({ signal }) => health.getPipedHealth({ pipedId: id }, { signal }),
    refetchInterval: 5_000, // as often as agents look at themselves
  });
}

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("the server answered without the thing asked for");
  return value;
}
