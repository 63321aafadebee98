/*
 * `clf attach`: a run on a PTY comes to this terminal, full-screen programs
 * included. A run on pipes has no screen: its output is shown and our input goes
 * into it.
 */
import type { CallOf } from '../command.ts';
import { CliError } from '../errors.ts';
import type { ExitStatus } from '../exit-status.ts';
import { findRun, runEnded, shortId } from '../runs/find-run.ts';
import { followPipes } from '../runs/follow-pipes.ts';
import { withSupervisor } from '../runs/with-supervisor.ts';
import type { attachSpec } from './specs.ts';

export async function execute(call: CallOf<typeof attachSpec>): Promise<ExitStatus> {
  const { io } = call;
  return withSupervisor(call, async (supervisor) => {
    const record = findRun(supervisor, call.operands.run);
    if (record.exit !== undefined) throw runEnded(record);
    const run = await supervisor.attach(record.runId);
    if (record.mode === 'child') return followPipes(call, run);
    if (io.terminal === undefined || call.isJson) {
      throw new CliError('not-a-terminal', 'attach needs a terminal, on stdin and stdout', {
        hint: `Read it instead: clf logs -f ${shortId(record)}`,
      });
    }
    const { lendTerminal } = await import('../terminal/lend-terminal.ts');
    return lendTerminal({
      context: call,
      run,
      terminal: io.terminal,
      isFresh: false,
      isQuiet: call.flags.quiet,
    });
  });
}
