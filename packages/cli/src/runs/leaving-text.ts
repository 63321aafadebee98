/*
 * What is said about leaving a run that goes on: how, before, and the way back, afterwards. The same words on a terminal and on
 * pipes, in brackets, so that they are not taken for output of the command.
 */
import type { RunHandle } from '../place/place.ts';
import { handiestName, shortId } from './find-run.ts';

type AnyRun = Parameters<typeof shortId>[0];

/* `keys`: all that leave it. */
export function formatHowToLeave(run: AnyRun, keys: readonly string[]): string {
  return `[clf: run ${shortId(run)}; ${keys.join(' or ')} detaches]`;
}

/* `flag` is what follows `clf COMMAND` to mean its place. */
export function formatDetached(run: Pick<RunHandle, 'runId' | 'snapshot'>, flag: string): string {
  const name = handiestName(run.snapshot());
  return `[clf: detached, run ${shortId(run)} goes on; back with: clf attach${flag} ${name}]`;
}
