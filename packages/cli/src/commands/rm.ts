/*
 * `clf rm`: a finished run is forgotten, its output with it. One that is alive,
 * or has left living processes, is refused unless it may be ended first.
 */
import type { RunRecord, Supervisor } from '@clawdfather/supervisor';
import type { CallOf } from '../command.ts';
import { CliError } from '../errors.ts';
import { codeStatus, type ExitStatus } from '../exit-status.ts';
import { eachRun, type Told } from '../runs/each-run.ts';
import { endRun } from '../runs/end-run.ts';
import { shortId } from '../runs/find-run.ts';
import { forgetRemoved } from '../runs/forget-removed.ts';
import { withSupervisor } from '../runs/with-supervisor.ts';
import type { rmSpec } from './specs.ts';

export async function execute(call: CallOf<typeof rmSpec>): Promise<ExitStatus> {
  return withSupervisor(call, async (supervisor) => {
    const { runs: typed } = call.operands;
    const code = await eachRun(call, { supervisor, typed }, (record) =>
      remove(call, supervisor, record),
    );
    // The end of a run without an owner is on record once somebody has looked.
    if (call.flags.force) await supervisor.reconcile();
    await forgetRemoved(supervisor);
    return codeStatus(code);
  });
}

async function remove(
  call: CallOf<typeof rmSpec>,
  supervisor: Supervisor,
  record: RunRecord,
): Promise<Told> {
  const isAlive = record.treeEndedAtMs === undefined;
  if (isAlive && !call.flags.force) {
    const id = shortId(record);
    const what = record.exit === undefined ? 'is still running' : 'has left running processes';
    throw new CliError('run-still-alive', `run ${id} ${what}`, {
      hint: `End it first: clf kill ${id}, or both at once: clf rm -f ${id}`,
      detail: { runId: record.runId },
    });
  }
  if (isAlive) {
    const actor = `cli:${call.config.pid}`;
    await endRun({ supervisor, clock: call.clock, record, actor, graceMs: undefined });
  }
  await supervisor.remove(record.runId);
  // Where nothing can be written the files are all there is to remove, and that may fail as well.
  if (supervisor.unwritable !== undefined) await forgetRemoved(supervisor);
  return { text: record.runId, json: { id: record.runId, removed: true } };
}
