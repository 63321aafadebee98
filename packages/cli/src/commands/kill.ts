/*
 * `clf kill`: ends runs by the one path there is (T2), and waits until they are
 * gone; or sends one signal and does not wait. Works on runs of any owner (O4).
 */
import type { RunRecord, Supervisor } from '@clawdfather/supervisor';
import { parseDurationMs, parseSignal } from '../args/values.ts';
import type { CommandContext } from '../command.ts';
import { codeStatus, type ExitStatus } from '../exit-status.ts';
import { formatExitShort } from '../render/exit-text.ts';
import { exitJson, type Json } from '../render/run-json.ts';
import { eachRun } from '../runs/each-run.ts';
import { withSupervisor } from '../runs/with-supervisor.ts';

export async function execute(context: CommandContext): Promise<ExitStatus> {
  const { args } = context;
  const signalText = args.value('signal');
  const signal = signalText === undefined ? undefined : parseSignal('--signal', signalText);
  const graceText = args.value('grace');
  const graceMs = graceText === undefined ? undefined : parseDurationMs('--grace', graceText);
  return withSupervisor(context, async (supervisor) =>
    codeStatus(
      await eachRun(context, supervisor, async (record) => {
        if (signal !== undefined) return sendSignal(supervisor, record, signal);
        return endRun({ supervisor, record, graceMs, actor: `cli:${context.config.pid}` });
      }),
    ),
  );
}

async function sendSignal(
  supervisor: Supervisor,
  record: RunRecord,
  signal: NodeJS.Signals,
): Promise<{ text: string; json: Json }> {
  const run = await supervisor.attach(record.runId);
  await run.signal(signal);
  return { text: record.runId, json: { id: record.runId, signal } };
}

export interface EndOptions {
  readonly supervisor: Supervisor;
  readonly record: RunRecord;
  readonly graceMs: number | undefined;
  readonly actor: string;
}

/* Also used by `rm --force`. */
export async function endRun(options: EndOptions): Promise<{ text: string; json: Json }> {
  const { supervisor, record } = options;
  const run = await supervisor.attach(record.runId);
  await run.cancel('manual-cancel', options.actor);
  const exit = await run.wait();
  return {
    text: `${record.runId} ${formatExitShort(exit)}`,
    json: { id: record.runId, exit: exitJson(exit) },
  };
}
