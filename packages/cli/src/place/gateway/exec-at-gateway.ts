/*
 * The exec tool of a gateway, for a person: the gateway's policy, its environment, its directory.
 *
 * The command is started in the background and under a key. It is watched from here for as long as the caller waits, and asking
 * again under the key brings what has become of it. So a lost connection loses nothing and starts nothing twice.
 */
import { CodedError, onAbort, orAborted, startTimeLimit, within } from '@clawdfather/kit';
import type { ExecParams, ExecResult } from '@clawdfather/protocol';
import type { Client } from '@clawdfather/sdk';
import type { RunId } from '@clawdfather/supervisor';
import { createTextCleaner } from '@clawdfather/tools';
import type { CommandContext } from '../../command.ts';
import { flagOf } from '../../hosts/place-of-host.ts';
import type { Target } from '../../sign-in/find-gateway.ts';
import { openClient } from '../../sign-in/open-client.ts';
import { createLinkTeller } from './link-teller.ts';
import type { ExecCall, Executor } from '../executor.ts';
import { explainRefusal } from './explain-refusal.ts';
import { followOutput } from './follow-output.ts';
import { formatMayStart, openPatience } from './patience.ts';
import { type RetryDeps, retried, startedOnce } from './retried.ts';

const yieldMsUsual = 10_000;
/* How often a gateway is asked that has told of the end and not recorded it yet. */
const recordLookMs = 50;
/* Once given up, a person waits no longer than this for what ignores SIGTERM. */
const hurryGraceMs = 1;
/* How long an answer is waited for once the command was given up, and how long its end. */
const givenUpMs = 5_000;
const cancelMs = 20_000;

export async function withExecutorAt<Result>(
  context: CommandContext,
  target: Target,
  use: (executor: Executor) => Promise<Result>,
): Promise<Result> {
  const { clock, random } = context;
  const { client } = await openClient(target);
  const leaving = new AbortController();
  const onLink = createLinkTeller(context);
  const flag = flagOf(context, target);
  const sayMayStart = (): void =>
    void context.io.stderr.write(formatMayStart(flag)).catch(() => {});
  const leave = leaving.signal;
  const given = new GivenCommand({ client, clock, random, onLink, leaving: leave, sayMayStart });
  try {
    return await use({
      flag,
      exec: async (params, call) => {
        try {
          return await given.exec(params, call);
        } catch (error) {
          throw await explainRefusal(target, error);
        }
      },
      leave: () => leaving.abort(new CodedError('tools-closed', 'this command was left')),
      ended: (hurry) => given.ended(hurry),
    });
  } finally {
    leaving.abort(new Error('the command is over'));
  }
}

interface GivenDeps extends RetryDeps {
  readonly client: Client;
  readonly leaving: AbortSignal;
  /* The gateway did not answer in time: what was given up may start all the same. */
  readonly sayMayStart: () => void;
}

class GivenCommand {
  readonly #deps: GivenDeps;
  #started: Promise<ExecResult> | undefined;

  constructor(deps: GivenDeps) {
    this.#deps = deps;
  }

  async exec(params: ExecParams, call: ExecCall): Promise<ExecResult> {
    const { client, clock, random, leaving } = this.#deps;
    const { yieldMs = yieldMsUsual, background = false, ...rest } = params;
    const body = { ...rest, background: true };
    const key = { idempotencyKey: random.id() };
    using patience = openPatience(clock, call.signal);
    const ends = AbortSignal.any([patience.over, leaving]);
    const create = () => client.runs.create({ body }, { ...key, signal: ends });
    const ask = () => retried(this.#deps, create, ends);
    this.#started = startedOnce(this.#deps, create, ends);
    const until = AbortSignal.any([call.signal, leaving]);
    const started = await orAborted(this.#started, until);
    if (background || started.status !== 'running') return started;
    using limit = startTimeLimit(clock, yieldMs, [until]);
    const isOver = await this.#watch(started.runId as RunId, call, limit.signal);
    until.throwIfAborted();
    for (;;) {
      const result = await ask();
      if (!isOver || result.status !== 'running') return result;
      await clock.sleep(recordLookMs, until);
    }
  }

  /* Ends what was given up, also when its start is still on the way. A gateway that does not answer is not waited for. */
  async ended(hurry: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    const begun = this.#started?.catch(() => undefined) ?? Promise.resolve(undefined);
    const started = await within(begun, { clock, ms: givenUpMs, late: () => undefined });
    if (started === undefined) return this.#deps.sayMayStart();
    const runId = 'runId' in started ? started.runId : undefined;
    if (runId === undefined) return;
    const cancel = (body: { readonly graceMs?: number }) =>
      this.#deps.client.runs.cancel({ params: { id: runId }, body });
    const stop = onAbort(hurry, () => void cancel({ graceMs: hurryGraceMs }).catch(() => {}));
    const late = (): void => {};
    await within(cancel({}).then(late, late), { clock, ms: cancelMs, late });
    stop();
  }

  /* True when the run has ended, false when the time was up first. */
  async #watch(runId: RunId, { onOutput }: ExecCall, signal: AbortSignal): Promise<boolean> {
    const { client, clock, random, onLink } = this.#deps;
    const cleaner = createTextCleaner();
    try {
      const options = { clock, random, onLink, signal };
      for await (const event of followOutput({ client, runId, since: undefined }, options)) {
        if (event.kind === 'output') onOutput?.(cleaner.push(event.bytes));
      }
      onOutput?.(cleaner.end());
      return true;
    } catch (error) {
      if (!signal.aborted) throw error;
      onOutput?.(cleaner.end());
      return false;
    }
  }
}
