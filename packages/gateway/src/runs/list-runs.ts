/*
 * The runs that a caller sees, newest first, those that wait for a decision before them; and what stands still among them.
 */
import type { RunSummary } from '@clawdfather/protocol';
import {
  liveRunStates,
  type RunFilter,
  type RunKind,
  type RunRecord,
  type RunUse,
  type Stall,
} from '@clawdfather/supervisor';
import { execBackend, hostLabel, localHost, nameLabel } from '@clawdfather/supervisor/origins';
import type { ApprovalSummary } from '@clawdfather/tools';
import { ApiError } from '../http/api-error.ts';
import type { Looker } from './find-run.ts';
import type { Runs } from './open-runs.ts';
import { accountsOf, kindsOf } from './whose-runs.ts';

/* `id` is in the records of runs, `name` in requests that wait. */
export interface HostFilter {
  readonly id: string;
  readonly name: string;
}

export interface RunPage {
  /* `alive`: those that hold a place of the account, with what was left behind. */
  readonly state?: 'running' | 'finished' | 'alive' | undefined;
  readonly prefix?: string | undefined;
  /* The next four are of runs that have started; with one of them nothing that is held is listed. */
  readonly name?: string | undefined;
  /* `NAME=VALUE`. */
  readonly label?: string | undefined;
  readonly session?: string | undefined;
  readonly backend?: string | undefined;
  /* Where it runs. */
  readonly host?: HostFilter | undefined;
  /* With what living ones use. */
  readonly use?: 'true' | 'false' | undefined;
  /* With the last line of each. */
  readonly last?: 'true' | 'false' | undefined;
  readonly limit: number;
  readonly offset: number;
}

export interface ListedRuns {
  readonly held: readonly ApprovalSummary[];
  readonly records: readonly RunRecord[];
  readonly stalls: ReadonlyMap<RunRecord['runId'], Stall>;
  /* Empty unless it was asked for. */
  readonly uses: ReadonlyMap<RunRecord['runId'], RunUse>;
  /* On all pages. */
  readonly total: number;
}

const statesOf = {
  running: liveRunStates,
  finished: ['exited'],
} as const;

export async function listRuns(runs: Runs, looker: Looker, page: RunPage): Promise<ListedRuns> {
  const { supervisor } = runs;
  const { limit, offset } = page;
  const held = isHeldListed(page) ? heldPage(runs, looker, page) : noneHeld;
  // What was started without the gateway holds no place.
  const kinds = kindsOf(looker.caller, page.state === 'alive' ? 'account' : looker.reach);
  const anyOf = page.host === undefined ? kinds : kindsOn(page.host, kinds);
  const filter = { anyOf, ...filterOf(page) };
  const records = supervisor.list({
    ...filter,
    limit: limit - held.items.length,
    offset: Math.max(0, offset - held.total),
  });
  for (const record of records) runs.takeOver.lookAfter(record);
  const stalls = await supervisor.stalls(records);
  const uses = page.use === 'true' ? supervisor.uses(records) : noUses;
  const total = held.total + supervisor.count(filter);
  return { held: held.items, records, stalls, uses, total };
}

/* Only the tools start something elsewhere; what a person ran without a gateway is on this machine. */
export function kindsOn(
  { id }: Pick<HostFilter, 'id'>,
  kinds: readonly RunKind[],
): readonly RunKind[] {
  return kinds.flatMap((kind) =>
    kind.backendId === execBackend
      ? [{ ...kind, labels: { ...kind.labels, [hostLabel]: id } }]
      : id === localHost
        ? [kind]
        : [],
  );
}

const noUses: ListedRuns['uses'] = new Map();

function isHeldListed({ state, name, label, session, backend }: RunPage): boolean {
  const isSifted = [name, label, session, backend].some((one) => one !== undefined);
  return state !== 'finished' && state !== 'alive' && !isSifted;
}

function filterOf({ state, prefix, name, label, session, backend }: RunPage): RunFilter {
  const labels = {
    ...(label === undefined ? {} : parseLabel(label)),
    ...(name === undefined ? {} : { [nameLabel]: name }),
  };
  return {
    ...(state === undefined
      ? {}
      : state === 'alive'
        ? { hasTree: true }
        : { states: statesOf[state] }),
    ...(prefix === undefined ? {} : { idPrefix: prefix }),
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
    ...(session === undefined ? {} : { sessionId: session }),
    ...(backend === undefined ? {} : { backendId: backend }),
  };
}

function parseLabel(text: string): Readonly<Record<string, string>> {
  const at = text.indexOf('=');
  if (at < 1) throw new ApiError('validation_error', 'label: write NAME=VALUE');
  return { [text.slice(0, at)]: text.slice(at + 1) };
}

/* J4: it lives, and does nothing until its output can be kept. */
export function stalledOf(
  stalls: ReadonlyMap<RunRecord['runId'], Stall>,
  { runId }: Pick<RunRecord, 'runId'>,
): Pick<RunSummary, 'stalled'> {
  const stalled = stalls.get(runId);
  return stalled === undefined ? {} : { stalled };
}

interface HeldRuns {
  readonly items: readonly ApprovalSummary[];
  readonly total: number;
}

const noneHeld: HeldRuns = { items: [], total: 0 };

function heldPage(
  { gatekeeper }: Runs,
  { caller, reach }: Looker,
  { limit, offset, prefix, host }: RunPage,
): HeldRuns {
  const filter = {
    states: ['pending', 'allowed'],
    accounts: accountsOf(caller, reach),
    ...(prefix === undefined ? {} : { runIdPrefix: prefix }),
  } as const;
  if (host !== undefined) {
    const all = gatekeeper.list({ ...filter, limit: gatekeeper.count(filter) });
    const there = all.filter((approval) => approval.host === host.name);
    return { items: there.slice(offset, offset + limit), total: there.length };
  }
  const items = gatekeeper.list({ ...filter, limit, offset });
  return { items, total: gatekeeper.count(filter) };
}
