/*
 * A thread, its agent, and a person who chooses modes, on paper. All that can come next is a step, and a step makes a new world, so all
 * orders of steps can be walked through.
 *
 * What a gateway knows is the rows, and they go through JSON after each commit: so each step may as well be the first one of another gateway,
 * after the one before was killed.
 */
import assert from 'node:assert/strict';
import {
  type AgentRunRow,
  admitTurn,
  beginRun,
  cancelTurn,
  chooseValues,
  consume,
  endRun,
  enqueueTurn,
  giveUpSetting,
  holdRun,
  noText,
  type ThreadChange,
  type ThreadRow,
  type ThreadRows,
  type TurnResult,
} from '@clawdfather/agents';
import type { Cursor, RunId } from '@clawdfather/supervisor';
import { newThread } from './thread-model.ts';

export const modeNames = ['ask', 'plan', 'bypass'] as const;
export type Mode = (typeof modeNames)[number];

/* What the agent has received and not answered. */
export type Pending =
  | { readonly id: number; readonly is: 'set'; readonly mode: string }
  | {
      readonly id: number;
      readonly is: 'prompt';
      /* As it was when the prompt was stored. */
      readonly wish: string | undefined;
      readonly own: readonly (string | undefined)[];
      /* The agent has changed its mode by itself since, or before anything was known of it. */
      readonly isAnyMode: boolean;
    };

export interface World {
  readonly rows: ThreadRows;
  readonly agent: { readonly mode: string; readonly pending: readonly Pending[] };
  readonly count: number;
  /* Of turns. */
  readonly ended: readonly TurnResult[];
  /* Where nothing is wanted: what people were shown when they said so, and what they were told that it is since. */
  readonly own: readonly (string | undefined)[];
  /* It left a mode while one was set, which is the mode that it goes back to. */
  readonly isVague: boolean;
}

const setup = { clientVersion: '0', mcpServers: [] };
const process = { rootPid: 10, processGroupId: 10, startTicks: 1, bootId: 'boot' };
const program = { programRoot: '/opt', programPath: '/opt/agent', commandHash: 'hash' };

export function modesWith(currentModeId: string) {
  const availableModes = modeNames.map((id) => ({ id, name: id }));
  return { modes: { currentModeId, availableModes } };
}

/* With an agent that is ready, in the mode `ask`. */
export function newWorld(): World {
  const agent = { mode: 'ask', pending: [] };
  const bare: World = { rows: newThread(), agent, count: 0, ended: [], own: [], isVague: false };
  return begun(bare, { sessionId: 'native', ...modesWith('ask') });
}

export function chosenMode({ rows }: World): string | undefined {
  return rows.thread.chosen?.['mode'];
}

export function shownMode({ rows }: World): string | undefined {
  return rows.thread.currentChoices?.find(({ id }) => id === 'mode')?.value;
}

/* A process begins or takes up the conversation; `opened`: what it answers to that. */
function begun(world: World, opened: object, known?: AgentRunRow['choices']): World {
  const runId = `3k9qv7hd2m5x${String(world.count).padStart(4, '0')}` as RunId;
  const lease = { runId, leaseId: 'lease', instanceId: 'one', ...program };
  const begin = beginRun(world.rows, { ...lease, sessionId: undefined, known }, world.count);
  const leased = committed(world, begin);
  const held = { runId, epoch: 1, process };
  const hold = holdRun(leased.rows, held, { setup, atMs: world.count });
  const agentCapabilities = { sessionCapabilities: { resume: {} } };
  const asked = answered(committed(leased, hold), 1, { protocolVersion: 1, agentCapabilities });
  return answered(asked, 2, opened);
}

export function answered(world: World, id: number, result: object): World {
  return consumed(world, resultOf(id, result));
}

/* Before it has answered, it says that its mode has changed, as some agents do. */
export function answeredAfterUpdate(world: World, { id, mode }: Taken): World {
  return answered(consumed(world, updateOf(mode)), id, {});
}

/* In one breath it takes a mode and leaves it. */
export function answeredAndLeft(world: World, id: number, mode: Mode): World {
  return consumed({ ...world, agent: leftFor(world, mode) }, resultOf(id, {}), updateOf(mode));
}

interface Taken {
  readonly id: number;
  readonly mode: string;
}

function resultOf(id: number, result: object): Message['message'] {
  return { kind: 'result', id, result: result as never };
}

function updateOf(mode: string): Message['message'] {
  const update = { sessionUpdate: 'current_mode_update', currentModeId: mode };
  const params = { sessionId: 'native', update };
  return { kind: 'notification', method: 'session/update', params };
}

export function refused(world: World, id: number): World {
  return consumed(world, { kind: 'error', id, error: { code: -32602, message: 'not today' } });
}

export function changedItself(world: World, mode: Mode): World {
  const isBeingSet = world.rows.run?.setting?.call !== undefined;
  const isVague = world.isVague || isBeingSet;
  return consumed({ ...world, isVague, agent: leftFor(world, mode) }, updateOf(mode));
}

function leftFor({ agent }: World, mode: Mode): World['agent'] {
  const pending = agent.pending.map((one) =>
    one.is === 'prompt' ? { ...one, isAnyMode: true } : one,
  );
  return { mode, pending };
}

export function chose(world: World, mode: Mode | null): World | undefined {
  const choosing = { chosen: { mode }, actor: 'device:1' };
  const change = chooseValues(world.rows, choosing, world.count);
  return change && { ...committed(world, change), own: mode === null ? [shownMode(world)] : [] };
}

export function said(world: World): World {
  const id = `turn-${world.count}`;
  const turn = { id, prompt: [], loadClass: 'long_task', requester: 'device:1' } as const;
  const waiting = committed(world, enqueueTurn(world.rows, turn, world.count));
  return committed(waiting, admitTurn(waiting.rows, waiting.count));
}

export function cancelled(world: World): World {
  const turnId = world.rows.turn?.id ?? '';
  const cancel = { turnId, cause: 'asked', actor: 'device:1' } as const;
  return committed(world, cancelTurn(world.rows, cancel, world.count));
}

/* The answer takes too long. */
export function waitedTooLong(world: World): World {
  const callId = world.rows.run?.setting?.call?.callId ?? 0;
  return committed(world, giveUpSetting(world.rows, callId, world.count));
}

/* Its process ends by itself, and another one begins. */
export function exited(world: World, opened: object): World {
  const { runId } = world.rows.run as AgentRunRow;
  const end = { runId, reason: 'exit', message: 'ended', state: 'closed' } as const;
  const facts = { text: noText(), atMs: world.count };
  const known = world.rows.run?.choices;
  const gone = committed(world, endRun(world.rows, { ...end, endedAtMs: world.count }, facts));
  // What it was told of the one before says nothing about this one.
  const bare = { ...gone, agent: { mode: 'ask', pending: [] }, own: [], isVague: false };
  const again =
    bare.rows.turn === undefined && bare.rows.queue.length > 0
      ? committed(bare, admitTurn(bare.rows, bare.count))
      : bare;
  return begun(again, opened, known);
}

type Message = Parameters<typeof consume>[1]['steps'][number]['items'][number] & {
  readonly kind: 'message';
};

function consumed(world: World, ...messages: readonly Message['message'][]): World {
  const { run } = world.rows;
  assert.ok(run);
  const cursor = `${world.count + 1}.0` as Cursor;
  const items = messages.map((message) => ({ kind: 'message', message, bytes: 1 }) as const);
  const batch = { runId: run.runId, epoch: run.epoch, from: run.cursor };
  const steps = [{ cursor, atMs: world.count, items }];
  const facts = { setup, text: noText(), atMs: world.count };
  const step = consume(world.rows, { ...batch, steps }, facts);
  assert.equal(step.outcome, 'consumed');
  return committed(world, step.change);
}

function committed(world: World, change: ThreadChange | undefined): World {
  assert.ok(change, 'nothing was decided');
  const { thread, run, calls, asks, turn, queue } = change.rows;
  const rows: ThreadRows = {
    thread: throughJson<ThreadRow>({ ...thread, version: thread.version + 1 }),
    run: run && throughJson<AgentRunRow>(run),
    turn: turn && throughJson(turn),
    queue,
    asks,
    calls: new Map([...calls].filter(([, { state }]) => state === 'sent')),
  };
  const told = change.events.filter(({ payload }) => payload['event'] === 'choice-changed');
  const failed = change.endedTurns.some(({ result }) => result?.cause === 'choice-not-set');
  const said = [
    ...told.flatMap(({ payload: { to } }) => (typeof to === 'string' ? to : [])),
    ...(failed ? [shownMode({ ...world, rows })] : []),
  ];
  const own = [...new Set([...world.own, ...said])];
  const next = { ...world, rows, own, count: world.count + 1 };
  const fresh = change.frames.flatMap(({ text }) => pendingOf(next, text));
  return {
    ...next,
    isVague: next.isVague && !fresh.some(({ is }) => is === 'prompt'),
    agent: { ...world.agent, pending: [...world.agent.pending, ...fresh] },
    ended: [...world.ended, ...change.endedTurns.flatMap(({ result }) => result ?? [])],
    own,
  };
}

function throughJson<Row>(row: Row): Row {
  return JSON.parse(JSON.stringify(row)) as Row;
}

function pendingOf(world: World, text: string): readonly Pending[] {
  const { id, method, params } = JSON.parse(text) as {
    readonly id?: number;
    readonly method: string;
    readonly params: { readonly modeId?: string };
  };
  if (id === undefined) return [];
  if (method === 'session/set_mode') return [{ id, is: 'set', mode: params.modeId ?? '' }];
  if (method !== 'session/prompt') return [];
  const isKnown = world.rows.run?.choices?.[0]?.current !== undefined;
  const wish = chosenMode(world);
  const isAnyMode = wish === undefined && !isKnown;
  return [{ id, is: 'prompt', wish, own: world.isVague ? [] : world.own, isAnyMode }];
}
