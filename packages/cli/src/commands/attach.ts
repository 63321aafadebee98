/*
 * `clf attach`: a run on a PTY comes to this terminal, full-screen programs
 * included. A run on pipes has no screen and is refused, with what to do instead.
 */
import type { CommandContext } from '../command.ts';
import { CliError } from '../errors.ts';
import type { ExitStatus } from '../exit-status.ts';
import { findRun, runEnded, shortId } from '../runs/find-run.ts';
import { withSupervisor } from '../runs/with-supervisor.ts';

export async function execute(context: CommandContext): Promise<ExitStatus> {
  const { io, args } = context;
  const [typed = ''] = args.operands;
  return withSupervisor(context, async (supervisor) => {
    const record = findRun(supervisor, typed);
    const id = shortId(record);
    if (record.mode === 'child') {
      throw new CliError('not-a-terminal-run', `run ${id} is on pipes, it has no screen`, {
        hint: `Follow it: clf logs -f ${id}. For a screen, start with: clf run --pty`,
      });
    }
    if (record.exit !== undefined) throw runEnded(record);
    if (io.terminal === undefined || context.isJson) {
      throw new CliError('not-a-terminal', 'attach needs a terminal, on stdin and stdout', {
        hint: `Read it instead: clf logs -f ${id}`,
      });
    }
    const run = await supervisor.attach(record.runId);
    const { lendTerminal } = await import('../terminal/lend-terminal.ts');
    return lendTerminal({ context, run, terminal: io.terminal, isFresh: false });
  });
}
