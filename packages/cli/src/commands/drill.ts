/*
 * `clf drill`: does on purpose, with a gateway and an agent of its own, what must never lose anything, and prints the proof. Exits 1 when
 * something was lost.
 */
import { onAbort } from '@clawdfather/kit';
import type { CallOf } from '../command.ts';
import { CliError, usageError } from '../errors.ts';
import { codeStatus, type ExitStatus, exitChecksFailed, exitOk } from '../exit-status.ts';
import { catchSignals } from '../threads/caught-signals.ts';
import { jsonLine } from '../render/run-json.ts';
import type { drillAgentSpec, drillSpec, drillSweepSpec } from './own-specs.ts';

/* It takes a few seconds; a machine that needs longer than this has other worries. */
const limitMs = 120_000;

export async function execute(context: CallOf<typeof drillSpec>): Promise<ExitStatus> {
  const { io, clock, isJson, paint } = context;
  if (!context.flags.turn) throw usageError('say what to drill', 'clf drill --turn');
  const { drillTurn } = await import('../drill/turn-drill.ts');
  const { formatReceipt } = await import('../drill/receipt.ts');
  using caught = catchSignals(context);
  const stop = new AbortController();
  const overdue = new CliError('drill-failed', `it did not end within ${limitMs / 1_000} seconds`);
  const timer = clock.timer(limitMs, () => stop.abort(overdue));
  const forget = onAbort(caught.leave, () => stop.abort(caught.leave.reason));
  const onStage = async (text: string): Promise<void> => {
    // A closed stderr is no reason to stop.
    if (!isJson) await io.stderr.write(`clf: ${text}\n`).catch(() => {});
  };
  try {
    const receipt = await drillTurn(context, { signal: stop.signal, onStage });
    await io.stdout.write(isJson ? jsonLine(receipt) : formatReceipt(receipt, paint));
    return codeStatus(receipt.isProven ? exitOk : exitChecksFailed);
  } catch (error) {
    if (caught.leave.aborted) return { kind: 'signal', signal: caught.name() ?? 'SIGINT' };
    throw stop.signal.aborted ? overdue : error;
  } finally {
    timer.cancel();
    forget();
  }
}

/* The program that such a drill has its gateway start. */
export async function executeAgent({
  operands,
}: CallOf<typeof drillAgentSpec>): Promise<ExitStatus> {
  const { speakAsAgent } = await import('../drill/agent.ts');
  await speakAsAgent({ socketPath: operands.socket, seed: operands.seed });
  return codeStatus(exitOk);
}

/* The program that removes what a drill has left, whichever way it ended. */
export async function executeSweep(context: CallOf<typeof drillSweepSpec>): Promise<ExitStatus> {
  const { sweepAfterDrill } = await import('../drill/sweep.ts');
  await sweepAfterDrill(context.operands.directory, context.clock);
  return codeStatus(exitOk);
}
