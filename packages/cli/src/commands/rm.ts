/*
 * `clf rm`: a finished run is forgotten, its output with it. One that is alive,
 * or has left living processes, is refused unless it may be ended first.
 */
import type { CallOf } from '../command.ts';
import { codeStatus, type ExitStatus, exitOk } from '../exit-status.ts';
import { withPlace } from '../place/open-place.ts';
import { eachRun } from '../runs/each-run.ts';
import type { rmSpec } from './specs.ts';

export async function execute(call: CallOf<typeof rmSpec>): Promise<ExitStatus> {
  const isForced = call.flags.force;
  return withPlace(call, async (place) => {
    const code = await eachRun(call, { place, typed: call.operands.runs }, async (run) => {
      await place.remove(run, { isForced });
      return { text: run.runId, json: { id: run.runId, removed: true } };
    });
    const cleared = place.removed({ isForced });
    // What kept a run from being removed keeps this too, and was told.
    await (code === exitOk ? cleared : cleared.catch(() => {}));
    return codeStatus(code);
  });
}
