/*
 * What a run refuses, in the same words wherever it is. `flag` is what follows `clf COMMAND` to mean its place.
 */
import { hasCode } from '@clawdfather/kit';
import { CliError } from '../errors.ts';
import type { Place, Run } from '../place/place.ts';
import { formatExitShort } from '../render/exit-text.ts';
import { shortId } from './find-run.ts';

export function runEnded(run: Run, flag: string): CliError {
  const id = shortId(run);
  const how = run.exit === undefined ? '' : ` (${formatExitShort(run.exit)})`;
  return new CliError('run-ended', `run ${id} has ended${how}`, {
    hint: `What it said: clf logs${flag} ${id}`,
    detail: { runId: run.runId },
  });
}

export function noTerminal(run: Run, flag: string): CliError {
  const id = shortId(run);
  return new CliError('not-a-terminal', `run ${id} has no terminal`, {
    hint: `It was started without --pty. Its output: clf logs${flag} ${id}`,
    detail: { runId: run.runId },
  });
}

function noInput(run: Run, flag: string): CliError {
  const id = shortId(run);
  return new CliError('stdin-closed', `run ${id} has no input, so nothing can be sent to it`, {
    hint:
      'Either it was started without one (clf run -d, or -n), or its input was closed since. ' +
      `To be able to type into it, start it with -i or --pty: clf run${flag} -d -i -- COMMAND`,
    detail: { runId: run.runId },
  });
}

/* What a run without input refuses is told as that. */
export async function sendingTo<Sent>(
  run: Run,
  { flag }: Pick<Place, 'flag'>,
  sent: Promise<Sent>,
): Promise<Sent> {
  try {
    return await sent;
  } catch (error) {
    throw hasCode(error, 'stdin-closed') ? noInput(run, flag) : error;
  }
}

export function stillAlive(run: Run, flag: string): CliError {
  const id = shortId(run);
  const what = run.exit === undefined ? 'is still running' : 'has left running processes';
  return new CliError('run-still-alive', `run ${id} ${what}`, {
    hint: `End it first: clf kill${flag} ${id}, or both at once: clf rm${flag} -f ${id}`,
    detail: { runId: run.runId },
  });
}

/* `holder`: the run that has the name; undefined when it is gone by now. */
export function nameTaken(name: string, holder: Run | undefined, flag: string): CliError {
  const who = holder === undefined ? 'a living run' : `run ${shortId(holder)}, which lives,`;
  return new CliError('name-taken', `${who} is called "${name}"`, {
    hint: `Choose another name, or end it first: clf kill${flag} ${name}`,
    detail: { name },
  });
}
