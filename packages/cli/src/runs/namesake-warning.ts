/*
 * A name is free when its run has ended, also while processes that the run left still live: a server that has crashed can be
 * started again. But such a process may hold the port, so it is said before the start.
 */
import type { CommandContext } from '../command.ts';
import type { Place } from '../place/place.ts';
import { namesakesWithLeftovers, shortId } from './find-run.ts';

export async function warnOfNamesakes(
  { io }: Pick<CommandContext, 'io'>,
  place: Pick<Place, 'list' | 'flag'>,
  name: string,
): Promise<void> {
  for (const run of await namesakesWithLeftovers(place, name)) {
    const text = `clf: warning: run ${shortId(run)}, called "${name}" too, has ended and left running processes; end them: clf kill${place.flag} ${shortId(run)}\n`;
    // A closed stderr is no reason to start nothing.
    await io.stderr.write(text).catch(() => {});
  }
}
