/*
 * Runs over HTTP: from parsed requests to the caller's actions (runs/caller-runs.ts), and from their results to answers.
 */
import type { Clock, Log } from '@clawdfather/kit';
import type { Api } from '@clawdfather/protocol/api';
import { exitJson } from '@clawdfather/supervisor/exit-json';
import type { LiveTokens } from '../auth/live-tokens.ts';
import { ifStillIn } from '../auth/if-still-in.ts';
import { ApiError } from '../http/api-error.ts';
import type { TurnOfRun } from '../agents/turn-of-run.ts';
import type { Caller } from '../http/caller.ts';
import type { Call, Handlers, RequestFacts } from '../http/handlers.ts';
import { hashRequest, parseIdempotencyKey } from '../http/idempotency-key.ts';
import type { OpenStreams } from '../http/open-streams.ts';
import type { LiveHub } from '../live/live-hub.ts';
import type { Observe } from '../observe/open-observe.ts';
import type { CallerRuns, RunsFor } from '../runs/caller-runs.ts';
import type { Runs } from '../runs/open-runs.ts';
import { streamOutput } from '../runs/stream-output.ts';

export interface RunsParts {
  readonly runs: Pick<Runs, 'supervisor'>;
  readonly runsFor: RunsFor;
  readonly streams: OpenStreams;
  readonly hub: LiveHub;
  readonly clock: Clock;
  readonly log: Log;
  readonly tokens: LiveTokens;
  readonly observe: Pick<Observe, 'inTrace'>;
  readonly turnOfRun: TurnOfRun;
}

type RunHandlers = Handlers<Api['runs']>;

export function createRunsHandlers(parts: RunsParts): RunHandlers {
  return { ...createReads(parts), ...createCommands(parts) };
}

type Reads = 'list' | 'get' | 'output' | 'screen' | 'wait';

type Of = (call: RequestFacts & { readonly caller: Caller }) => CallerRuns;

function createReads(parts: RunsParts): Pick<RunHandlers, Reads> {
  const of: Of = (call) => parts.runsFor(call.caller, call);
  const stream = createStreaming(parts);
  return {
    list: async (call) => {
      const { limit, offset } = call.query;
      return { ...(await of(call).page(call.query)), limit, offset };
    },
    get: async (call) => of(call).show(call.params.id),
    output: async (call) =>
      wantsEvents(call) ? stream(call) : of(call).outputPage(call.params.id, call.query),
    screen: async (call) => {
      const named = { runId: call.params.id };
      const runs = of(call);
      return call.query.picture === 'true' ? runs.paintScreen(named) : runs.screen(named);
    },
    wait: async (call) => {
      const { id } = call.params;
      const runs = of(call);
      const { caller } = call;
      call.leaveTurn();
      const exit = await parts.streams.whileOpen(caller, () =>
        ifStillIn(parts, caller, runs.wait(id, call.query.timeoutMs)),
      );
      const shown = await runs.show(id);
      // Another process owns the run. It knows of the end and has not recorded it yet.
      if (exit === undefined || shown.exit !== null) return shown;
      return { ...shown, state: 'exited', exit: exitJson(exit) };
    },
  };
}

type Commands = Exclude<keyof RunHandlers, Reads>;

function createCommands(parts: RunsParts): Pick<RunHandlers, Commands> {
  const of: Of = (call) => parts.runsFor(call.caller, call);
  return {
    create: (call) => {
      const { caller, body } = call;
      call.leaveTurn();
      const work = () => ifStillIn(parts, caller, startTraced(parts, call));
      return body.yieldMs === undefined ? work() : parts.streams.whileOpen(caller, work);
    },
    input: async (call) => of(call).input(call.params.id, call.body),
    keys: async (call) => {
      const { body } = call;
      const runId = call.params.id;
      return 'paste' in body
        ? of(call).paste({ runId, text: body.paste })
        : of(call).sendKeys({ runId, ...body });
    },
    resize: async (call) => of(call).resize({ runId: call.params.id, ...call.body }),
    signal: async (call) => of(call).signal({ runId: call.params.id, ...call.body }),
    cancel: async (call) => {
      call.leaveTurn();
      return of(call).kill({ runId: call.params.id, ...call.body });
    },
    remove: async (call) => {
      const runId = call.params.id;
      call.leaveTurn();
      return call.query.force === 'true' ? of(call).remove({ runId }) : of(call).putAway({ runId });
    },
  };
}

type Create = Call<Api['runs']['create']>;

/* What an agent's tools start is below the turn that they work for. */
function startTraced(parts: RunsParts, call: Create) {
  const { caller, ip, userAgent, signal } = call;
  const trace = parts.turnOfRun(caller.accountId, call);
  if (trace === undefined) return start(parts.runsFor(caller, call), call);
  const origin = { ip, userAgent, signal, traceId: trace.traceId };
  return parts.observe.inTrace(trace, () => start(parts.runsFor(caller, origin), call));
}

async function start(runs: CallerRuns, call: Create) {
  const key = parseIdempotencyKey(call.header('idempotency-key'));
  const once = key === undefined ? undefined : { key, request: hashRequest(call.body) };
  const { sessionId, ...asked } = call.body;
  const { name, labels, graceMs, limits, nice, journalBytesMax, shield, tools, ...body } = asked;
  const extras = { name, labels, graceMs, limits, nice, journalBytesMax, shield, tools };
  // A run is not waited for unless the request says how long.
  const background = body.background ?? body.yieldMs === undefined;
  return runs.start({ ...body, background }, { once, sessionId, extras });
}

function wantsEvents(call: Pick<RequestFacts, 'header'>): boolean {
  return call.header('accept')?.includes('text/event-stream') === true;
}

function createStreaming(parts: RunsParts): RunHandlers['output'] {
  const { runs, hub, clock, log, streams } = parts;
  return async (call) => {
    const { caller, params, query, reply } = call;
    call.leaveTurn();
    const record = parts.runsFor(caller, call).look(params.id);
    if (query.encoding === 'text') {
      throw new ApiError('validation_error', 'a stream has bytes, in base64; pages have text');
    }
    const cursor = call.header('last-event-id') || query.cursor;
    const onOpen = (drop: () => void) => streams.add(caller, drop);
    const deps = { supervisor: runs.supervisor, hub, clock, log };
    await streamOutput(deps, { record, cursor, reply, onOpen });
    // Sent by itself; the type cannot know that nothing is looked at any more.
    return undefined as never;
  };
}
