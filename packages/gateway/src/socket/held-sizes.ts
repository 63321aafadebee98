/*
 * The sizes that one socket has given to terminals of runs (`terminal.fit`), each until it is taken back or the socket is gone.
 *
 * The shim holds them by a connection of ours (Z1), so nothing here has to be put right when this process is killed. Fitting does not
 * depend on following the output: a page that is behind stops following for a while, and the size stays.
 *
 * A connection to a shim may be lost while its run lives. So a size that cannot be changed any more is asked for anew, once, on a connection of
 * its own. What is refused then is the answer.
 */
import type { RunId, TerminalSize } from '@clawdfather/supervisor';
import { attachedRunsMax } from './limits.ts';
import { ApiError } from '../http/api-error.ts';
import type { SharedRun, SharedRuns } from './shared-runs.ts';

interface Fit {
  readonly shared: SharedRun;
  readonly held: Awaited<ReturnType<SharedRun['fit']>>;
}

export class HeldSizes {
  readonly #sharedRuns: SharedRuns;
  readonly #fits = new Map<RunId, Fit>();
  #isClosed = false;

  constructor(sharedRuns: SharedRuns) {
    this.#sharedRuns = sharedRuns;
  }

  async hold(runId: RunId, size: TerminalSize): Promise<void> {
    if (await this.#resize(runId, size)) return;
    if (this.#fits.size >= attachedRunsMax) await this.#letGoOfEnded();
    if (this.#fits.size >= attachedRunsMax) {
      throw new ApiError('run_limit_reached', `a socket fits at most ${attachedRunsMax} runs`);
    }
    const shared = await this.#sharedRuns.acquire(runId);
    try {
      this.#fits.set(runId, { shared, held: await shared.fit(size) });
    } catch (error) {
      shared.release();
      throw error;
    }
    // The socket went while the shim was asked.
    if (this.#isClosed) await this.letGo(runId);
  }

  /* False: it is to be held anew. */
  async #resize(runId: RunId, size: TerminalSize): Promise<boolean> {
    const known = this.#fits.get(runId);
    if (known === undefined) return false;
    try {
      await known.held.resize(size);
      return true;
    } catch {
      // Why is said by the shim, if it says so again.
      await this.#drop(runId);
      return false;
    }
  }

  /* Looked at only when the places are short: most sockets fit one run. */
  async #letGoOfEnded(): Promise<void> {
    for (const [runId, { shared }] of this.#fits) {
      if (shared.run.snapshot().state === 'exited') await this.#drop(runId);
    }
  }

  /* Where nothing may be left to give back. */
  async #drop(runId: RunId): Promise<void> {
    await this.letGo(runId).catch(() => {});
  }

  async letGo(runId: RunId): Promise<void> {
    const fit = this.#fits.get(runId);
    if (fit === undefined) return;
    this.#fits.delete(runId);
    fit.shared.release();
    await fit.held.close();
  }

  close(): void {
    this.#isClosed = true;
    // A run that is over has no size to give back.
    for (const runId of this.#fits.keys()) void this.#drop(runId);
  }
}
