/*
 * `clf wait`: until the named runs have ended. Exits as the last of them did,
 * in the order in which they were named.
 */
import type { RunExit } from '@clawdfather/supervisor';
import type { CallOf, CommandContext } from '../command.ts';
import { formatExactDuration } from '../config/kinds.ts';
import { codeStatus, type ExitStatus, exitCodeOf, exitOk, exitTimedOut } from '../exit-status.ts';
import { withPlace } from '../place/open-place.ts';
import type { Place, Run } from '../place/place.ts';
import { formatExitNotice } from '../render/exit-text.ts';
import { exitJson, jsonLine } from '../render/run-json.ts';
import { findRun, shortId } from '../runs/find-run.ts';
import type { waitSpec } from './specs.ts';

export async function execute(call: CallOf<typeof waitSpec>): Promise<ExitStatus> {
  const { clock, io } = call;
  const { timeout: limitMs } = call.flags;
  return withPlace(call, async (place) => {
    // All names first: a typing mistake in the last one must not wait for the first.
    const runs = await Promise.all(call.operands.runs.map((typed) => findRun(place, typed)));
    const limit = new AbortController();
    const timer = limitMs === undefined ? undefined : clock.timer(limitMs, () => limit.abort());
    let code = exitOk;
    let waitedFor: Run | undefined;
    try {
      for (const run of runs) {
        waitedFor = run;
        const exit = await exitOf(place, run, limit.signal);
        await tell(call, run, exit);
        code = exitCodeOf(exit);
      }
    } catch (error) {
      if (!limit.signal.aborted) throw error;
      await (call.isJson
        ? io.stdout.write(jsonLine({ id: waitedFor?.runId ?? null, exit: null }))
        : io.stderr.write(`clf: ${await standing(place, waitedFor, limitMs ?? 0)}\n`));
      return codeStatus(exitTimedOut);
    } finally {
      timer?.cancel();
    }
    return codeStatus(code);
  });
}

async function exitOf(place: Place, run: Run, signal: AbortSignal): Promise<RunExit> {
  if (run.exit !== undefined) return run.exit;
  const handle = await place.open(run);
  return handle.wait(signal);
}

async function tell(context: CommandContext, run: Run, exit: RunExit): Promise<void> {
  const { io } = context;
  if (context.isJson) {
    await io.stdout.write(jsonLine({ id: run.runId, exit: exitJson(exit) }));
    return;
  }
  const notice = formatExitNotice(exit, run.deadlines);
  if (notice !== undefined) await io.stderr.write(`clf: run ${shortId(run)} ${notice}\n`);
}

/* What is stopped does not end by being waited for. */
async function standing(place: Place, run: Run | undefined, limitMs: number): Promise<string> {
  const after = `after ${formatExactDuration(limitMs)}`;
  const query = { idPrefix: run?.runId ?? '', limit: 1, withUse: true };
  const [now] = run === undefined ? [] : await place.list(query);
  return now?.use?.isStopped === true
    ? `still stopped ${after}; it goes on with: clf kill${place.flag} -s CONT ${shortId(now)}`
    : `still running ${after}`;
}
