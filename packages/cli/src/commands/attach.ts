/*
 * `clf attach`: a run on a PTY comes to this terminal, full-screen programs
 * included. A run on pipes has no screen: its output is shown and our input goes
 * into it.
 */
import type { CallOf } from '../command.ts';
import { CliError } from '../errors.ts';
import type { ExitStatus } from '../exit-status.ts';
import { withPlace } from '../place/open-place.ts';
import { findRun, shortId } from '../runs/find-run.ts';
import { followPipes } from '../runs/follow-pipes.ts';
import { runEnded } from '../runs/run-refusals.ts';
import type { attachSpec } from './specs.ts';

export async function execute(call: CallOf<typeof attachSpec>): Promise<ExitStatus> {
  const { io } = call;
  return withPlace(call, async (place) => {
    const run = await findRun(place, call.operands.run);
    if (run.exit !== undefined) throw runEnded(run, place.flag);
    const handle = await place.open(run);
    const isQuiet = call.flags.quiet;
    if (run.mode === 'child') {
      const options = { placeFlag: place.flag, isQuiet: isQuiet || call.isJson };
      return followPipes(call, handle, options);
    }
    if (io.terminal === undefined || call.isJson) {
      throw new CliError('not-a-terminal', 'attach needs a terminal, on stdin and stdout', {
        hint: `Read it instead: clf logs${place.flag} -f ${shortId(run)}`,
      });
    }
    const { lendTerminal } = await import('../terminal/lend-terminal.ts');
    return lendTerminal({
      context: call,
      place,
      handle,
      terminal: io.terminal,
      isFresh: false,
      isQuiet,
    });
  });
}
