/*
 * The exec tool of a gateway, for a person: the gateway's policy, its environment, its directory.
 *
 * The command is started in the background and under a key. It is watched from here for as long as the caller waits, and asking
 * again under the key brings what has become of it. So a lost connection loses nothing and starts nothing twice.
 */
import { CodedError, onAbort, orAborted, startTimeLimit } from '@clawdfather/kit';
import type { ExecParams, ExecResult } from '@clawdfather/protocol';
import type { Client } from '@clawdfather/sdk';
import type { RunId } from '@clawdfather/supervisor';
import { createTextCleaner } from '@clawdfather/tools';
import type { CommandContext } from '../../command.ts';
import type { Target } from '../../sign-in/find-gateway.ts';
import { openClient } from '../../sign-in/open-client.ts';
import { createLinkTeller } from './link-teller.ts';
import type { ExecCall, Executor } from '../executor.ts';
import { explainRefusal } from './explain-refusal.ts';
import { followOutput } from './follow-output.ts';
import { type RetryDeps, retried } from './retried.ts';

const yieldMsUsual = 10_000;
/* How often a gateway is asked that has told of the end and not recorded it yet. */
const recordLookMs = 50;
/* Once given up, a person waits no longer than this for what ignores SIGTERM. */
const hurryGraceMs = 1;

export async function withExecutorAt<Result>(
  context: CommandContext,
  target: Target,
  use: (executor: Executor) => Promise<Result>,
): Promise<Result> {
  const { clock, random } = context;
  const { client } = await openClient(target);
  const leaving = new AbortController();
  const onLink = createLinkTeller(context);
  const given = new GivenCommand({ client, clock, random, onLink, leaving: leaving.signal });
  try {
    return await use({
      flag: ` -g ${target.name}`,
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
    const ask = () => retried(this.#deps, () => client.runs.create({ body }, key), leaving);
    this.#started = ask();
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

  /* Ends what was given up, also when its start is still on the way. */
  async ended(hurry: AbortSignal): Promise<void> {
    const started = await this.#started?.catch(() => undefined);
    const runId = started !== undefined && 'runId' in started ? started.runId : undefined;
    if (runId === undefined) return;
    const cancel = (body: { readonly graceMs?: number }) =>
      this.#deps.client.runs.cancel({ params: { id: runId }, body });
    const stop = onAbort(hurry, () => void cancel({ graceMs: hurryGraceMs }).catch(() => {}));
    await cancel({}).catch(() => {});
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
