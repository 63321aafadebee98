/*
 * `clf wait`: until the named runs have ended. Exits as the last of them did,
 * in the order in which they were named.
 */
import type { RunExit, RunRecord, Supervisor } from '@clawdfather/supervisor';
import type { CallOf, CommandContext } from '../command.ts';
import { formatExactDuration } from '../config/kinds.ts';
import { codeStatus, type ExitStatus, exitCodeOf, exitOk, exitTimedOut } from '../exit-status.ts';
import { formatExitNotice } from '../render/exit-text.ts';
import { exitJson, jsonLine } from '../render/run-json.ts';
import { findRun, shortId } from '../runs/find-run.ts';
import { withSupervisor } from '../runs/with-supervisor.ts';
import type { waitSpec } from './specs.ts';

export async function execute(call: CallOf<typeof waitSpec>): Promise<ExitStatus> {
  const { clock, io } = call;
  const { timeout: limitMs } = call.flags;
  return withSupervisor(call, async (supervisor) => {
    // All names first: a typing mistake in the last one must not wait for the first.
    const records = call.operands.runs.map((typed) => findRun(supervisor, typed));
    const limit = new AbortController();
    const timer = limitMs === undefined ? undefined : clock.timer(limitMs, () => limit.abort());
    let code = exitOk;
    let waitedFor: RunRecord | undefined;
    try {
      for (const record of records) {
        waitedFor = record;
        const exit = await exitOf(supervisor, record, limit.signal);
        await tell(call, record, exit);
        code = exitCodeOf(exit);
      }
    } catch (error) {
      if (!limit.signal.aborted) throw error;
      await (call.isJson
        ? io.stdout.write(jsonLine({ id: waitedFor?.runId ?? null, exit: null }))
        : io.stderr.write(`clf: still running after ${formatExactDuration(limitMs ?? 0)}\n`));
      return codeStatus(exitTimedOut);
    } finally {
      timer?.cancel();
    }
    return codeStatus(code);
  });
}

async function exitOf(
  supervisor: Supervisor,
  record: RunRecord,
  signal: AbortSignal,
): Promise<RunExit> {
  if (record.exit !== undefined) return record.exit;
  const run = await supervisor.attach(record.runId);
  return run.wait(signal);
}

async function tell(context: CommandContext, record: RunRecord, exit: RunExit): Promise<void> {
  const { io } = context;
  if (context.isJson) {
    await io.stdout.write(jsonLine({ id: record.runId, exit: exitJson(exit) }));
    return;
  }
  const notice = formatExitNotice(exit, record.deadlines);
  if (notice !== undefined) await io.stderr.write(`clf: run ${shortId(record)} ${notice}\n`);
}
