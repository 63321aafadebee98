/*
 * The runs of this machine as the gateway holds them: one supervisor, and the tools twice over it.
 *
 * People and agents get different tools, because they get different policies: what a person asks for on a device of theirs is
 * judged as on their own command line; what comes with a token or over MCP is judged as an agent's, and may be held until a
 * person decides.
 */
import { loginEnvironment } from '@clawdfather/kit';
import {
  createSupervisor,
  openApprovals,
  type ApprovalStore,
  type ExplainExit,
  type RemoteHosts,
  type Supervisor,
  type SupervisorObserver,
} from '@clawdfather/supervisor';
import {
  type Allowlist,
  createAccountRoom,
  createShield,
  createTakeOver,
  createToolServers,
  type Gatekeeper,
  type LocalUsers,
  openTools,
  type Shield,
  type TakeOver,
  type Tools,
  type ToolServers,
} from '@clawdfather/tools';
import type { AccountId } from '@clawdfather/store';
import { localAccount } from '@clawdfather/supervisor/origins';
import { isMemberBeside, runBoundsOf, usualAccountBounds } from '../accounts/account-bounds.ts';
import { isOfDevice } from '../http/caller.ts';
import { openLocalUsers } from '../local-users/open-local-users.ts';
import type { GatewayConfig } from '../gateway-config.ts';
import type { GatewayDeps } from '../gateway-parts.ts';

/* What agents are told who ask for `ls` at a gateway whose directory is a home. */
const treeAdvice =
  'the person who runs the gateway sets gateway.directory, or starts it with clf serve --directory DIR';

export interface Runs extends AsyncDisposable {
  readonly supervisor: Supervisor;
  /* As whom each account runs on this machine. What starts something here asks it; the tools do so for every command. */
  readonly users: LocalUsers;
  readonly approvals: ApprovalStore;
  readonly allowlist: Allowlist;
  /* Reads held runs; it decides nothing. */
  readonly gatekeeper: Gatekeeper;
  /* Takes over runs whose owner is gone, as soon as a caller asks for one. */
  readonly takeOver: TakeOver;
  /* Around what agents start; undefined: none. */
  readonly shield: Shield | undefined;
  /* What serves our tools to shielded agents; undefined: nothing does. */
  readonly toolServers: ToolServers | undefined;
  /* How `clf` is started here, for tools in a shield. */
  readonly toolLaunch?: readonly string[] | undefined;
  /* For a signed-in device. */
  readonly personTools: Tools;
  /* For tokens and MCP. */
  readonly agentTools: Tools;
}

type RunsDeps = GatewayDeps & {
  /* Hosts of accounts, beside this machine. */
  readonly remoteHosts?: RemoteHosts;
  readonly explainExit?: ExplainExit;
  readonly observer: SupervisorObserver;
  readonly ownerId: AccountId;
};

export async function openRuns(config: GatewayConfig, deps: RunsDeps): Promise<Runs> {
  const { clock, random, log, ownerId } = deps;
  const { stateDir, runs, accounts = [] } = config;
  const users = await openLocalUsers({ ownerId, accounts, temporaryRoot: runs.temporaryRoot });
  await using opening = new AsyncDisposableStack();
  const supervisor = await openSupervisor(config, deps);
  opening.defer(() => supervisor.close());
  const approvals = await openApprovals({ stateDir, clock, random });
  opening.defer(() => approvals.close());
  await moveOwnerRules(approvals, ownerId);
  const shield = shieldOf(config, deps);
  const launch = runs.toolServer;
  const toolServers = launch && createToolServers({ supervisor, stateDir, launch, log });
  // The start does not wait for it: it starts programs.
  void toolServers?.takeUp();
  const common = {
    supervisor,
    stateDir,
    approvals,
    clock,
    random,
    log,
    users,
    ...(shield === undefined ? {} : { shield }),
    toolServers,
    ...(deps.remoteHosts === undefined ? {} : { remoteHosts: deps.remoteHosts }),
    allow: runs.allow,
    reach: { home: runs.environment['HOME'], ours: ownPathsOf(config), treeAdvice },
    baseEnvironment: loginEnvironment(runs.environment),
    homeDirectory: runs.directory,
    openFiles: runs.openFiles,
    room: createAccountRoom({
      supervisor,
      boundsOf: runBoundsOf(config.bounds ?? usualAccountBounds, isMemberBeside(ownerId)),
      isOfPerson: isOfDevice,
    }),
  };
  // Only one of the two takes over the runs of earlier processes.
  const people = opening.use(
    await openTools({ ...common, policy: runs.personPolicy, takesUp: false }),
  );
  const agents = opening.use(
    await openTools({
      ...common,
      policy: runs.agentPolicy,
      askingPid: process.pid,
      shieldsCommands: shield !== undefined,
      takesUp: true,
    }),
  );
  const takeOver = createTakeOver({ supervisor, clock, log, isStaying: true });
  opening.defer(() => takeOver.close());
  const opened = opening.move();
  return {
    supervisor,
    users,
    approvals,
    allowlist: agents.allowlist,
    gatekeeper: agents.gatekeeper,
    takeOver,
    shield,
    toolServers,
    toolLaunch: launch?.argv,
    personTools: people.tools,
    agentTools: agents.tools,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/* It adopts what earlier gateways have left, and tells how many runs that are. */
async function openSupervisor(config: GatewayConfig, deps: RunsDeps): Promise<Supervisor> {
  const { clock, random, log, observer, ownerId } = deps;
  const { stateDir, runs, bounds = usualAccountBounds } = config;
  const counting = countFound(observer);
  const isMember = isMemberBeside(ownerId);
  const accountBytesMax = (account: string): number | undefined =>
    isMember(account) ? bounds.members.journalBytesMax : undefined;
  const supervisor = await createSupervisor({
    stateDir,
    launcher: 'spawnd',
    adoption: 'adopt',
    retention: { ...runs.retention, accountBytesMax },
    umask: runs.umask,
    clock,
    random,
    log,
    observer: counting.observer,
    explainExit: deps.explainExit,
  });
  const found = counting.take();
  if (found.adopted + found.ended > 0) log.event('runs.adopted', found);
  return supervisor;
}

/* Earlier gateways kept a list for the owner's account, beside that of the machine (rule-account.ts of the tools). */
async function moveOwnerRules(approvals: ApprovalStore, ownerId: AccountId): Promise<void> {
  if (approvals.allowRules(ownerId).length === 0) return;
  await approvals.write((tx) => tx.moveRules(ownerId, localAccount));
}

function shieldOf(config: GatewayConfig, { clock }: GatewayDeps): Shield | undefined {
  const { shield } = config.runs;
  if (shield === undefined) return undefined;
  const { settings, places } = shield;
  const ours = [...places.ours, ...ownPathsOf(config)];
  return createShield({ ...places, ours, clock, settings });
}

/* How many runs of earlier gateways are held again, and how many ended while none was there. */
function countFound(observer: SupervisorObserver) {
  let adopted = 0;
  let ended = 0;
  return {
    take: () => ({ adopted, ended }),
    observer: {
      ...observer,
      event: (event: Parameters<SupervisorObserver['event']>[0]) => {
        if (event.type === 'reconcile') {
          const { decision } = event.decision;
          if (decision === 'adopted') adopted += 1;
          else if (decision === 'finalised' || decision === 'stale') ended += 1;
        }
        observer.event(event);
      },
    },
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
