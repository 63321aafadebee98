/*
 * Runs over HTTP. What exists for the caller is decided first, by the whole id and the account; everything after that speaks of
 * one run.
 */
import type { Clock, Log, Random } from '@clawdfather/kit';
import type { Api, RequestOf } from '@clawdfather/protocol/api';
import { liveRunStates, type RunFilter, type RunRecord, type Stall } from '@clawdfather/supervisor';
import type { Store } from '@clawdfather/store';
import { type ApprovalSummary, nameLabel } from '@clawdfather/tools';
import type { LiveTokens } from '../auth/live-tokens.ts';
import { ApiError } from '../http/api-error.ts';
import type { Caller } from '../http/caller.ts';
import { auditOf, type Handlers, type RequestFacts } from '../http/handlers.ts';
import { createOpenStreams } from '../http/open-streams.ts';
import { ifStillIn } from '../auth/if-still-in.ts';
import type { LiveHub } from '../live/live-hub.ts';
import { endRun, removeRun } from '../runs/end-run.ts';
import { drivenRun, livingRun, runToEnd } from '../runs/driven-run.ts';
import { findRun, findStarted } from '../runs/find-run.ts';
import { giveInput } from '../runs/give-input.ts';
import type { Runs } from '../runs/open-runs.ts';
import { readOutputPage } from '../runs/output-page.ts';
import { callAbout } from '../runs/run-call.ts';
import { exitJson, heldJson, type RunJson, runJson } from '../runs/run-json.ts';
import { createStartRun } from '../runs/start-run.ts';
import { streamOutput } from '../runs/stream-output.ts';
import { accountsOf, kindsOf } from '../runs/whose-runs.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { waitForEnd } from '../runs/wait-for-end.ts';

export interface RunsParts {
  readonly runs: Runs;
  readonly hub: LiveHub;
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly tokens: LiveTokens;
  readonly sessions: Sessions;
}

type RunHandlers = Handlers<Api['runs']>;

export function createRunsHandlers(parts: RunsParts): RunHandlers {
  return { ...createReads(parts), ...createCommands(parts) };
}

type Reads = 'list' | 'get' | 'output' | 'screen' | 'wait';

function createReads(parts: RunsParts): Pick<RunHandlers, Reads> {
  const { runs, clock } = parts;
  const { supervisor, agentTools } = runs;
  const streams = createOpenStreams(parts);
  return {
    list: async ({ caller, query }) => {
      const { state, limit, offset } = query;
      const isHeldListed = state !== 'finished' && !isSifted(query);
      const held = isHeldListed ? heldPage(runs, caller, { limit, offset }) : noneHeld;
      const filter = { anyOf: kindsOf(caller), ...filterOf(query) };
      const records = supervisor.list({
        ...filter,
        limit: limit - held.items.length,
        offset: Math.max(0, offset - held.total),
      });
      for (const record of records) runs.takeOver.lookAfter(record);
      const stalls = await supervisor.stalls(records);
      return {
        items: [
          ...held.items.map(heldJson),
          ...records.map((record) => ({
            ...runJson(record, supervisor.inputOffset(record.runId)),
            ...stalledOf(stalls, record),
          })),
        ],
        total: held.total + supervisor.count(filter),
        limit,
        offset,
      };
    },
    get: async ({ caller, params }) => show(runs, caller, params.id),
    output: async (call) => {
      const { caller, params, query, reply } = call;
      const record = findStarted(runs, caller, params.id);
      if (!wantsEvents(call)) {
        const about = callAbout(caller, record, call.signal);
        return readOutputPage(agentTools, { record, call: about }, query);
      }
      if (query.encoding === 'text') {
        throw new ApiError('validation_error', 'a stream has bytes, in base64; pages have text');
      }
      const cursor = call.header('last-event-id') || query.cursor;
      const onOpen = (drop: () => void) => streams.add(caller, drop);
      const { hub, log } = parts;
      await streamOutput({ supervisor, hub, clock, log }, { record, cursor, reply, onOpen });
      // Sent by itself; the type cannot know that nothing is looked at any more.
      return undefined as never;
    },
    screen: async ({ caller, params, query, signal }) => {
      const record = findStarted(runs, caller, params.id);
      const about = callAbout(caller, record, signal);
      const show =
        query.picture === 'true' ? agentTools.actions.paintScreen : agentTools.actions.screen;
      return show({ runId: record.runId }, about);
    },
    wait: async ({ caller, params, query, signal }) => {
      const found = findRun(runs, caller, params.id);
      const limits = { caller, signal, forMs: query.timeoutMs };
      const exit = await ifStillIn(parts, caller, waitForEnd({ runs, clock }, found, limits));
      const shown = await show(runs, caller, params.id);
      // Its owner is somebody else, who has heard of the end and not written it down yet.
      if (exit === undefined || shown.exit !== null) return shown;
      return { ...shown, state: 'exited', exit: exitJson(exit) };
    },
  };
}

type Commands = Exclude<keyof RunHandlers, Reads>;

function createCommands(parts: RunsParts): Pick<RunHandlers, Commands> {
  const { runs, store, clock } = parts;
  const { supervisor, agentTools } = runs;
  const startRun = createStartRun(parts);
  const audit = (call: Audited, action: string, target: string) =>
    store.forAccount(call.caller.accountId).auditLog.record({ ...auditOf(call, action), target });
  // A disk that is full, by a run that does not stop, say, must not keep anybody from ending it.
  const recordEnding = async (call: Audited, action: string, runId: string): Promise<void> => {
    await audit(call, action, runId).catch((error: unknown) =>
      parts.log.error('run.ending-unrecorded', { runId, action, error }),
    );
  };
  return {
    create: (call) => ifStillIn(parts, call.caller, startRun(call)),
    input: async ({ caller, params, body }) =>
      giveInput({ supervisor, clock }, drivenRun(runs, caller, params.id), body),
    keys: async ({ caller, params, body, signal }) => {
      const record = livingRun(runs, caller, params.id);
      const { runId } = record;
      const about = callAbout(caller, record, signal);
      return 'paste' in body
        ? agentTools.actions.paste({ runId, text: body.paste }, about)
        : agentTools.actions.sendKeys({ runId, ...body }, about);
    },
    resize: async ({ caller, params, body, signal }) => {
      const record = livingRun(runs, caller, params.id);
      const about = callAbout(caller, record, signal);
      const { runId } = record;
      return agentTools.actions.resize({ runId, ...body }, about);
    },
    signal: async (call) => {
      const { caller, params, body, signal } = call;
      const record = livingRun(runs, caller, params.id);
      const about = callAbout(caller, record, signal);
      const { runId } = record;
      const sent = await agentTools.actions.signal({ runId, ...body }, about);
      await recordEnding(call, 'run.signal', runId);
      return sent;
    },
    cancel: async (call) => {
      const { caller, params, body, signal } = call;
      const found = runToEnd(runs, caller, params.id);
      await recordEnding(call, 'run.cancel', params.id);
      return endRun(runs, found, { caller, signal, graceMs: body?.graceMs });
    },
    remove: async (call) => {
      const { caller, params, query, signal } = call;
      const found = runToEnd(runs, caller, params.id);
      const isForced = query.force === 'true';
      const removed = await removeRun(runs, found, { caller, signal, isForced });
      await audit(call, 'run.remove', params.id);
      return removed;
    },
  };
}

type Audited = Pick<RequestFacts, 'ip' | 'traceId'> & { readonly caller: Caller };

const statesOf = {
  running: liveRunStates,
  finished: ['exited'],
} as const;

type ListQuery = RequestOf<Api['runs']['list']>['query'];

/* What waits for a decision is no run yet, and has neither. */
function isSifted({ prefix, name, label, session, backend }: ListQuery): boolean {
  return [prefix, name, label, session, backend].some((one) => one !== undefined);
}

function filterOf({ state, prefix, name, label, session, backend }: ListQuery): RunFilter {
  const labels = {
    ...(label === undefined ? {} : parseLabel(label)),
    ...(name === undefined ? {} : { [nameLabel]: name }),
  };
  return {
    ...(state === undefined ? {} : { states: statesOf[state] }),
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

interface HeldRuns {
  readonly items: readonly ApprovalSummary[];
  readonly total: number;
}

const noneHeld: HeldRuns = { items: [], total: 0 };

function heldPage(
  { gatekeeper }: Runs,
  caller: Caller,
  page: { readonly limit: number; readonly offset: number },
): HeldRuns {
  const filter = { states: ['pending', 'allowed'], accounts: accountsOf(caller) } as const;
  return { items: gatekeeper.list({ ...filter, ...page }), total: gatekeeper.count(filter) };
}

async function show(runs: Runs, caller: Caller, id: string): Promise<RunJson> {
  const { supervisor } = runs;
  const found = findRun(runs, caller, id);
  if (found.kind === 'held') return heldJson(found.approval);
  const { record } = found;
  const stalls = await supervisor.stalls([record]);
  return { ...runJson(record, supervisor.inputOffset(record.runId)), ...stalledOf(stalls, record) };
}

/* J4: it lives, and does nothing until its output can be kept. */
function stalledOf(
  stalls: ReadonlyMap<RunRecord['runId'], Stall>,
  { runId }: RunRecord,
): Pick<RunJson, 'stalled'> {
  const stalled = stalls.get(runId);
  return stalled === undefined ? {} : { stalled };
}

function wantsEvents(call: Pick<RequestFacts, 'header'>): boolean {
  return call.header('accept')?.includes('text/event-stream') === true;
}
