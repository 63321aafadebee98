/*
 * `clf resize`: another size for a run's terminal; a terminal that is attached later sets its own.
 */
import type { CallOf } from '../command.ts';
import { codeStatus, type ExitStatus, exitOk } from '../exit-status.ts';
import { jsonLine } from '../render/run-json.ts';
import { findRun } from '../runs/find-run.ts';
import { attachLiving, noTerminal } from '../runs/type-into-run.ts';
import { withSupervisor } from '../runs/with-supervisor.ts';
import type { resizeSpec } from './tool-specs.ts';

export async function execute(call: CallOf<typeof resizeSpec>): Promise<ExitStatus> {
  const { io } = call;
  const { run: typed, size } = call.operands;
  return withSupervisor(call, async (supervisor) => {
    const record = findRun(supervisor, typed);
    if (record.mode === 'child') throw noTerminal(record);
    await (await attachLiving(supervisor, record)).resize(size);
    if (call.isJson) await io.stdout.write(jsonLine({ id: record.runId, ...size }));
    return codeStatus(exitOk);
  });
}
