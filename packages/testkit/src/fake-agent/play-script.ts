/*
 * Plays a script from its first step to the end of the input. After the last step the agent is silent, but reads and
 * traces on.
 */
import { untilAborted } from './inbox.ts';
import { createPlay, receive } from './play.ts';
import { guardRow, playSteps } from './play-steps.ts';
import type { Script } from './script.ts';
import type { Station } from './station.ts';

export async function playScript(script: Script, station: Station): Promise<void> {
  for (const signal of script.ignoredSignals ?? []) process.on(signal, () => undefined);
  const isStaying = script.staysAtEnd === true;
  if (isStaying) stayAlive();
  const ended = isStaying ? new AbortController().signal : station.inputEnded;
  const play = createPlay(station, ended);
  station.listen((received) => receive(play, script, received));
  const row = { signal: ended, latest: undefined };
  await guardRow(station, playSteps(play, row, script.steps));
  while (play.background.length > 0) await play.background.shift();
  const forEver = new Promise<never>(() => undefined);
  await untilAborted(forEver, ended).catch(() => undefined);
  await station.exit(0);
}

/* Nothing is waited for here: the interval only keeps the process from running out of things to do. */
function stayAlive(): void {
  setInterval(() => undefined, 2 ** 30);
}
