/*
 * `clf attach`: a run on a PTY comes to this terminal, full-screen programs
 * included. A run on pipes has no screen: its output is shown and our input goes
 * into it.
 */
import type { CommandContext } from '../command.ts';
import { CliError } from '../errors.ts';
import type { ExitStatus } from '../exit-status.ts';
import { findRun, runEnded, shortId } from '../runs/find-run.ts';
import { followPipes } from '../runs/follow-pipes.ts';
import { withSupervisor } from '../runs/with-supervisor.ts';

export async function execute(context: CommandContext): Promise<ExitStatus> {
  const { io, args } = context;
  const [typed = ''] = args.operands;
  return withSupervisor(context, async (supervisor) => {
    const record = findRun(supervisor, typed);
    if (record.exit !== undefined) throw runEnded(record);
    const run = await supervisor.attach(record.runId);
    if (record.mode === 'child') return followPipes(context, run);
    if (io.terminal === undefined || context.isJson) {
      throw new CliError('not-a-terminal', 'attach needs a terminal, on stdin and stdout', {
        hint: `Read it instead: clf logs -f ${shortId(record)}`,
      });
    }
    const { lendTerminal } = await import('../terminal/lend-terminal.ts');
    return lendTerminal({ context, run, terminal: io.terminal, isFresh: false });
  });
}
