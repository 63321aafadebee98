/*
 * `clf run --replace --name NAME`: what lives under the name is ended first, the processes that earlier runs left included, and is
 * waited for. If something of it cannot be ended, nothing is started.
 */
import { nameLabel } from '@clawdfather/supervisor/origins';
import type { CommandContext } from '../command.ts';
import type { Place } from '../place/place.ts';
import { formatExitShort } from '../render/exit-text.ts';
import { ambiguous, namesakesWithLeftovers, shortId } from './find-run.ts';

export interface Replacing {
  readonly place: Pick<Place, 'list' | 'end'>;
  readonly name: string;
  readonly isQuiet: boolean;
}

export async function replaceNamesakes(
  { io }: Pick<CommandContext, 'io'>,
  { place, name, isQuiet }: Replacing,
): Promise<void> {
  const states = ['starting', 'running', 'exiting'] as const;
  const living = await place.list({ labels: { [nameLabel]: name }, states });
  // Of two accounts, say.
  if (living.length > 1) throw ambiguous(name, living);
  for (const run of [...living, ...(await namesakesWithLeftovers(place, name))]) {
    const exit = await place.end(run, undefined);
    if (isQuiet || !io.stderr.isTerminal) continue;
    // A closed stderr is no reason to start nothing.
    const text = `clf: replaced run ${shortId(run)} (${formatExitShort(exit)})\n`;
    await io.stderr.write(text).catch(() => {});
  }
}
