/*
 * A place in sentences and in command lines: the gateway and the host that a command is about.
 */
import { shellWord } from '@clawdfather/kit/files';
import { makeVisible } from '@clawdfather/tools/text';
import { isElsewhere } from '../hosts/place-of-host.ts';
import type { Place } from '../place/place.ts';

/* ` on web`, ` at home`, or nothing for all of this machine. */
export function placeText({ gateway, host }: Pick<Place, 'gateway' | 'host'>): string {
  if (isElsewhere(host)) return ` on ${makeVisible(host)}`;
  return gateway === undefined ? '' : ` at ${gateway}`;
}

/* What follows `clf COMMAND` to mean the same runs, and no others. */
export function flagsOf({ flag, host }: Pick<Place, 'flag' | 'host'>): string {
  return host === undefined ? flag : `${flag} --host ${shellWord(makeVisible(host))}`;
}
