/*
 * Opens the tools with all that they need but the supervisor: the approvals of a state directory, the allowlist, and a gatekeeper
 * with the policy for people or for agents. All programs open them here: the gateway twice, for people and for agents, the MCP
 * server of the command line, and `clf exec` and `clf allow` for one command.
 */
import { type ApprovalStore, openApprovals, readLineage } from '@clawdfather/supervisor';
import { askedInLabel } from '@clawdfather/supervisor/origins';
import { type Allowlist, createAllowlist } from './approvals/allowlist.ts';
import { askedInOf } from './approvals/asked-in.ts';
import { createGatekeeper } from './approvals/create-gatekeeper.ts';
import type { Policy } from './approvals/decide-policy.ts';
import type { Gatekeeper } from './approvals/gatekeeper.ts';
import { requesterMarksOf } from './approvals/requester.ts';
import { createStarterReach, type StarterReachDeps } from './approvals/starter-reach.ts';
import type { ToolsDeps } from './context.ts';
import { createTools, type Tools } from './tools.ts';

export interface GateOptions extends Pick<ToolsDeps, 'clock' | 'random'> {
  /* Programs that the settings allow, beside what people have allowed for ever. */
  readonly allow?: readonly string[] | undefined;
  /* What the starter list lets through reads nothing of these. */
  readonly reach: StarterReachDeps;
  readonly policy: Policy;
  /* Why everything is asked about, whatever the policy says; undefined where the policy decides. */
  readonly whyAlwaysAsk?: (() => Promise<string | undefined>) | undefined;
  /* The process that asks on behalf of agents: neither it nor its parents may decide. Absent for people, who may decide themselves. */
  readonly askingPid?: number | undefined;
}

export interface Gate {
  readonly allowlist: Allowlist;
  readonly gatekeeper: Gatekeeper;
}

/* Over a store that the caller has opened. */
export function createGate(store: ApprovalStore, options: GateOptions): Gate {
  const { clock, random, policy, askingPid } = options;
  const allowlist = createAllowlist(store, options.allow);
  const gatekeeper = createGatekeeper({
    store,
    allowlist,
    reach: createStarterReach(options.reach),
    clock,
    random,
    policy,
    whyAlwaysAsk: options.whyAlwaysAsk,
    requesterMarks: askingPid === undefined ? [] : requesterMarksOf(readLineage(askingPid)),
  });
  return { allowlist, gatekeeper };
}

export interface OpenToolsOptions
  extends GateOptions,
    Omit<ToolsDeps, 'gatekeeper' | 'originLabels'> {
  /* Of the supervisor, which stays open when the tools are closed. */
  readonly stateDir: string;
  /* An open store of the same directory, which is left open. Default: one is opened, and closed with the tools. */
  readonly approvals?: ApprovalStore | undefined;
  /* True for a server that is where its one agent is: what is asked for says in which run that is. A gateway serves agents elsewhere. */
  readonly isBesideAgent?: boolean;
}

export interface OpenedTools extends Gate, AsyncDisposable {
  readonly tools: Tools;
  readonly approvals: ApprovalStore;
}

/* Closing lets go of everything in the opposite order and ends no run. */
export async function openTools(options: OpenToolsOptions): Promise<OpenedTools> {
  const { stateDir, clock, random } = options;
  await using opening = new AsyncDisposableStack();
  const approvals = options.approvals ?? (await openApprovals({ stateDir, clock, random }));
  if (approvals !== options.approvals) opening.defer(() => approvals.close());
  const { shield, shieldsCommands = false } = options;
  const isShielding = shieldsCommands && shield !== undefined;
  const gate = createGate(approvals, {
    ...options,
    whyAlwaysAsk: isShielding ? () => shield.whyAlwaysAsk() : undefined,
  });
  const { askingPid, isBesideAgent = false } = options;
  const originLabels =
    isBesideAgent && askingPid !== undefined
      ? { [askedInLabel]: askedInOf(approvals, readLineage(askingPid)) }
      : undefined;
  const tools = createTools({ ...options, gatekeeper: gate.gatekeeper, originLabels });
  opening.defer(() => tools.close());
  const opened = opening.move();
  return { ...gate, tools, approvals, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}
