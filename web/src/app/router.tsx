// SPDX-License-Identifier: Apache-2.0
import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from "@tanstack/react-router";
import { isUnauthenticated, problemOf } from "../api/problem";
import { sessionQuery } from "../api/queries";
import { ProblemNotice } from "../design/Notice";
import { ApplicationPage } from "../features/applications/ApplicationPage";
import { ApplicationsPage } from "../features/applications/ApplicationsPage";
import { DeploymentPage } from "../features/deployments/DeploymentPage";
import { DeploymentsPage } from "../features/deployments/DeploymentsPage";
import { PipedPage } from "../features/pipeds/PipedPage";
import { PipedsPage } from "../features/pipeds/PipedsPage";
import { LoginPage } from "../features/session/LoginPage";
import { rememberProject, rememberWanted, takeWanted } from "../features/session/session";
import type { LiveUpdates } from "./live";
import { NotFoundPage } from "./NotFoundPage";
import { Shell } from "./Shell";

type Text = string | undefined;
type Context = { client: QueryClient; live: LiveUpdates };

const root = createRootRouteWithContext<Context>()({
  component: Outlet,
  notFoundComponent: NotFoundPage,
  errorComponent: ({ error, reset }) => (
    <main style={{ maxWidth: 720, margin: "80px auto", padding: 16 }}>
      <ProblemNotice problem={problemOf(error) ?? failed} onRetry={reset} />
    </main>
  ),
});

const failed = { title: "This page failed", message: "", advice: "Reload the page." };

const login = createRoute({
  getParentRoute: () => root,
  path: "/login",
  validateSearch: (search): { project?: Text } => ({ project: text(search["project"]) }),
  component: () => <LoginPage project={login.useSearch().project} />,
});

const design = createRoute({
  getParentRoute: () => root,
  path: "/design",
  component: lazyRouteComponent(() => import("../design/Gallery"), "Gallery"),
});

const inside = createRoute({
  getParentRoute: () => root,
  id: "inside",
  // Asked before any page reads: who is not logged in sees the login page, not a page of errors.
  beforeLoad: async ({ context, location }) => {
    try {
      rememberProject((await context.client.ensureQueryData(sessionQuery)).projectId);
    } catch (error) {
      if (!isUnauthenticated(error)) throw error;
      rememberWanted(location.href);
      const project = text((location.search as Record<string, unknown>)["project"]);
      throw redirect({ to: "/login", search: { project } });
    }
    context.live.start();
  },
  component: () => <Shell live={inside.useRouteContext().live} />,
});

const start = createRoute({
  getParentRoute: () => inside,
  path: "/",
  beforeLoad: () => {
    const wanted = takeWanted();
    throw wanted ? redirect({ href: wanted }) : redirect({ to: "/applications", search: {} });
  },
});

const applications = createRoute({
  getParentRoute: () => inside,
  path: "/applications",
  validateSearch: (search): { name?: Text } => ({ name: text(search["name"]) }),
  component: function Applications() {
    const { name } = applications.useSearch();
    const navigate = applications.useNavigate();
    return (
      <ApplicationsPage
        name={name ?? ""}
        onName={(next) => void navigate({ search: { name: next || undefined }, replace: true })}
      />
    );
  },
});

const application = createRoute({
  getParentRoute: () => inside,
  path: "/applications/$applicationId",
  component: function Application() {
    const { applicationId } = application.useParams();
    return <ApplicationPage key={applicationId} id={applicationId} />;
  },
});

const deployments = createRoute({
  getParentRoute: () => inside,
  path: "/deployments",
  validateSearch: (search): { status?: Text; application?: Text } => ({
    status: text(search["status"]),
    application: text(search["application"]),
  }),
  component: function Deployments() {
    const filter = deployments.useSearch();
    const navigate = deployments.useNavigate();
    return (
      <DeploymentsPage
        filter={filter}
        onFilter={(change) => void navigate({ search: { ...filter, ...change }, replace: true })}
      />
    );
  },
});

const deployment = createRoute({
  getParentRoute: () => inside,
  path: "/deployments/$deploymentId",
  validateSearch: (search): { stage?: Text } => ({ stage: text(search["stage"]) }),
  component: function Deployment() {
    const { deploymentId } = deployment.useParams();
    const { stage } = deployment.useSearch();
    const navigate = deployment.useNavigate();
    return (
      <DeploymentPage
        key={deploymentId}
        id={deploymentId}
        stageId={stage}
        onStage={(next) => void navigate({ search: { stage: next }, replace: true, resetScroll: false })}
      />
    );
  },
});

const agents = createRoute({
  getParentRoute: () => inside,
  path: "/agents",
  component: PipedsPage,
});

const agent = createRoute({
  getParentRoute: () => inside,
  path: "/agents/$pipedId",
  component: function Agent() {
    const { pipedId } = agent.useParams();
    return <PipedPage key={pipedId} id={pipedId} />;
  },
});

/** Where notifications, plan previews and the public system's links say agents are. */
const agentsElsewhere = createRoute({
  getParentRoute: () => inside,
  path: "/settings/piped",
  beforeLoad: () => {
    throw redirect({ to: "/agents" });
  },
});

const tree = root.addChildren([
  login,
  design,
  inside.addChildren([
    start,
    applications,
    application,
    deployments,
    deployment,
    agents,
    agent,
    agentsElsewhere,
  ]),
]);

export function makeRouter(context: Context) {
  return createRouter({ routeTree: tree, context, defaultPreload: false, scrollRestoration: true });
}

/** A search value as text; the router reads `123` as a number, and people may type anything. */
function text(value: unknown): string | undefined {
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}
