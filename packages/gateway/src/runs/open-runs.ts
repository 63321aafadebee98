/*
 * The runs of this host as the gateway holds them: one supervisor, and the tools twice over it.
 *
 * People and agents get different tools, because they get different policies: what a person asks for on a device of theirs is
 * judged as on their own command line; what comes with a token or over MCP is judged as an agent's, and may be held until a
 * person decides.
 */
import {
  readLineage,
  createSupervisor,
  openApprovals,
  type ApprovalStore,
  type Supervisor,
  type SupervisorObserver,
} from '@clawdfather/supervisor';
import {
  agentBaseEnvironment,
  type Allowlist,
  createAllowlist,
  createGatekeeper,
  createStarterReach,
  createTakeOver,
  createTools,
  type Gatekeeper,
  type LocalUsers,
  type Policy,
  type RequesterMark,
  requesterMarksOf,
  type TakeOver,
  type Tools,
} from '@clawdfather/tools';
import type { AccountId } from '@clawdfather/store';
import { openLocalUsers } from '../local-users/open-local-users.ts';
import type { GatewayConfig } from '../gateway-config.ts';
import type { GatewayDeps } from '../gateway-parts.ts';

/* Of one account. People and agents have a handful; a loop has thousands. */
const liveRunsMaxDefault = 64;

export interface Runs extends AsyncDisposable {
  readonly supervisor: Supervisor;
  /* As whom each account runs on this machine. What starts something here asks it; the tools do so for every command. */
  readonly users: LocalUsers;
  readonly approvals: ApprovalStore;
  readonly allowlist: Allowlist;
  /* For looking at what is held; there is no deciding here. */
  readonly gatekeeper: Gatekeeper;
  /* Runs whose owner has gone are looked after here, as soon as somebody asks for one. */
  readonly takeOver: TakeOver;
  /* For a signed-in device. */
  readonly personTools: Tools;
  /* For tokens and MCP. */
  readonly agentTools: Tools;
}

export async function openRuns(
  config: GatewayConfig,
  deps: GatewayDeps & { readonly observer: SupervisorObserver; readonly ownerId: AccountId },
): Promise<Runs> {
  const { clock, random, log, observer, ownerId } = deps;
  const { stateDir, runs, accounts = [] } = config;
  const users = await openLocalUsers({ ownerId, accounts, temporaryRoot: runs.temporaryRoot });
  await using opening = new AsyncDisposableStack();
  const supervisor = await createSupervisor({
    stateDir,
    launcher: 'spawnd',
    adoption: 'adopt',
    retention: runs.retention,
    umask: runs.umask,
    clock,
    random,
    log,
    observer,
  });
  opening.defer(() => supervisor.close());
  const approvals = await openApprovals({ stateDir, clock, random });
  opening.defer(() => approvals.close());
  const { allowlist, forPeople, forAgents } = createGatekeepers(config, deps, approvals);
  const toolsWith = (gatekeeper: Gatekeeper, isForAgents: boolean): Tools => {
    const tools = createTools({
      supervisor,
      gatekeeper,
      clock,
      random,
      log,
      users,
      baseEnvironment: agentBaseEnvironment(runs.environment),
      homeDirectory: runs.directory,
      openFiles: runs.openFiles,
      liveRunsMax: runs.liveRunsMax ?? liveRunsMaxDefault,
      // What earlier processes left is taken up once, not by both.
      takesUp: isForAgents,
    });
    opening.defer(() => tools.close());
    return tools;
  };
  const personTools = toolsWith(forPeople, false);
  const agentTools = toolsWith(forAgents, true);
  const takeOver = createTakeOver({ supervisor, clock, log, isStaying: true });
  opening.defer(() => takeOver.close());
  const opened = opening.move();
  return {
    supervisor,
    users,
    approvals,
    allowlist,
    gatekeeper: forAgents,
    takeOver,
    personTools,
    agentTools,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

function createGatekeepers(
  config: GatewayConfig,
  { clock, random }: GatewayDeps,
  store: ApprovalStore,
) {
  const { runs } = config;
  const allowlist = createAllowlist(store, runs.allow);
  const reach = createStarterReach({ home: runs.environment['HOME'], ours: ownPathsOf(config) });
  const gatekeeperWith = (policy: Policy, requesterMarks: readonly RequesterMark[]): Gatekeeper =>
    createGatekeeper({ store, allowlist, reach, clock, random, policy, requesterMarks });
  return {
    allowlist,
    forPeople: gatekeeperWith(runs.personPolicy, []),
    forAgents: gatekeeperWith(runs.agentPolicy, requesterMarksOf(readLineage(process.pid))),
  };
}

function ownPathsOf({ stateDir, masterKeysDir, database, runs }: GatewayConfig): readonly string[] {
  return [
    stateDir,
    ...(masterKeysDir === undefined ? [] : [masterKeysDir]),
    ...(database.kind === 'sqlite' ? [database.path] : []),
    ...(runs.privatePaths ?? []),
  ];
}
