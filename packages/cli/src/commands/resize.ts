/*
 * `clf resize`: another size for a run's terminal; a terminal that is attached later sets its own.
 */
import type { CallOf } from '../command.ts';
import { codeStatus, type ExitStatus, exitOk } from '../exit-status.ts';
import { withPlace } from '../place/open-place.ts';
import { jsonLine } from '../render/run-json.ts';
import { findRun } from '../runs/find-run.ts';
import type { resizeSpec } from './tool-specs.ts';

export async function execute(call: CallOf<typeof resizeSpec>): Promise<ExitStatus> {
  const { size } = call.operands;
  return withPlace(call, async (place) => {
    const run = await findRun(place, call.operands.run);
    await place.resize(run, size);
    if (call.isJson) await call.io.stdout.write(jsonLine({ id: run.runId, ...size }));
    return codeStatus(exitOk);
  });
}
