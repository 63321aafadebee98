/*
 * `clf kill`: ends runs, leftovers included, and waits until they are gone; or
 * sends one signal and does not wait. Works on runs of any owner (O4).
 */
import type { RunRecord, Supervisor } from '@clawdfather/supervisor';
import type { CallOf } from '../command.ts';
import { usageError } from '../errors.ts';
import { codeStatus, type ExitStatus } from '../exit-status.ts';
import { formatExitShort } from '../render/exit-text.ts';
import { exitJson } from '../render/run-json.ts';
import { eachRun, type Told } from '../runs/each-run.ts';
import { endRun } from '../runs/end-run.ts';
import { runEnded } from '../runs/find-run.ts';
import { withSupervisor } from '../runs/with-supervisor.ts';
import type { killSpec } from './specs.ts';

export async function execute(call: CallOf<typeof killSpec>): Promise<ExitStatus> {
  const { signal, grace: graceMs } = call.flags;
  if (signal !== undefined && graceMs !== undefined) {
    throw usageError('--signal only sends a signal, so --grace means nothing with it');
  }
  const actor = `cli:${call.config.pid}`;
  return withSupervisor(call, async (supervisor) =>
    codeStatus(
      await eachRun(call, { supervisor, typed: call.operands.runs }, async (record) => {
        if (signal !== undefined) return sendSignal(supervisor, record, signal);
        const exit = await endRun({ supervisor, clock: call.clock, record, actor, graceMs });
        return {
          text: `${record.runId} ${formatExitShort(exit)}`,
          json: { id: record.runId, exit: exitJson(exit) },
        };
      }),
    ),
  );
}

async function sendSignal(
  supervisor: Supervisor,
  record: RunRecord,
  signal: NodeJS.Signals,
): Promise<Told> {
  if (record.treeEndedAtMs !== undefined) throw runEnded(record);
  const run = await supervisor.attach(record.runId);
  await run.signal(signal);
  return { text: record.runId, json: { id: record.runId, signal } };
}
