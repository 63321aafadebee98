/*
 * Tools that are being opened while the client already talks to us.
 *
 * Opening starts at once and nobody waits for it but the first call, so that a client is answered in milliseconds. If it fails, the
 * call that needed it says why, to the agent that can tell a person; the next call tries again.
 */
import { deferred } from '@clawdfather/kit';
import { dispatch, type Tools } from '@clawdfather/tools';
import type { AgentTools } from './open-agent-tools.ts';

export interface OpenedOnce extends AsyncDisposable {
  readonly tools: Pick<Tools, 'exec' | 'process' | 'waitForEnd'>;
  /* Resolves when the tools are open; never, if they never are. */
  readonly takenOver: Promise<readonly string[]>;
}

export function openOnce(
  open: () => Promise<AgentTools>,
  onFailure: (error: unknown) => void,
): OpenedOnce {
  let opened: Promise<AgentTools> | undefined;
  const takenOver = deferred<readonly string[]>();
  const openNow = (): Promise<AgentTools> => {
    if (opened !== undefined) return opened;
    const attempt = open();
    opened = attempt;
    attempt.then(
      (tools) => takenOver.resolve(tools.takenOver),
      () => {
        opened = undefined;
      },
    );
    return attempt;
  };
  openNow().catch(onFailure);
  return {
    tools: {
      exec: async (params, call) => (await openNow()).tools.actions.exec(params, call),
      process: async (params, call) => dispatch((await openNow()).tools.actions, params, call),
      waitForEnd: async (runId, call) => (await openNow()).tools.waitForEnd(runId, call),
    },
    takenOver: takenOver.promise,
    [Symbol.asyncDispose]: async () => {
      // What failed to open has nothing to close, and was told.
      const tools = await opened?.catch(() => undefined);
      await tools?.[Symbol.asyncDispose]();
    },
  };
}
