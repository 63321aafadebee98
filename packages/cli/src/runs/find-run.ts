/*
 * From what a person typed to the one run that is meant: an id, a unique
 * beginning of an id, or a name given with `--name`.
 */
import { hostNameOf, localHost, nameLabel } from '@clawdfather/supervisor/origins';
import type { RunId } from '@clawdfather/supervisor';
import { suggestNearest } from '../args/suggest.ts';
import { CliError } from '../errors.ts';
import type { HeldRequest, Place, Run } from '../place/place.ts';
import { formatChanged, makeVisible } from '@clawdfather/tools/text';

/* What tables show; long enough to be unique on one host, short enough to type. */
export const shortIdChars = 12;

/* Enough to show that there are several. */
const candidatesMax = 6;
/* Of one name, when none of its newest lives: an older one may have left processes. */
const namesakesMax = 1_000;

/* The newest; who mistypes means one of them. */
const neighboursMax = 500;
/* Of fewer letters of an id nearly everything is a neighbour. */
const neighbourCharsMin = 4;

export type RunLister = Pick<Place, 'list' | 'flag' | 'held'> & Partial<Pick<Place, 'host'>>;

export interface FindOptions {
  /* Whatever lives is meant: of several that have left processes none is chosen by its age. */
  readonly isLiving?: boolean;
}

export async function findRun(
  place: RunLister,
  typed: string,
  { isLiving = false }: FindOptions = {},
): Promise<Run> {
  const byId = /^[0-9a-z]+$/.test(typed)
    ? await place.list({ idPrefix: typed, limit: candidatesMax })
    : [];
  const exact = byId.find((record) => record.runId === typed);
  if (exact !== undefined) return exact;

  // A name that somebody gave comes before a beginning of an id that nobody chose.
  const chosen = isName(typed) ? await namedRuns(place, typed, isLiving) : [];
  if (chosen.length === 1 && chosen[0] !== undefined) return chosen[0];
  if (chosen.length === 0 && byId.length === 1 && byId[0] !== undefined) return byId[0];

  const candidates = chosen.length > 0 ? chosen : byId;
  if (candidates.length > 1) throw ambiguous(typed, candidates);
  if (place.host !== undefined) throw await notOnHost(place, place.host, typed);
  const held = /^[0-9a-z]+$/.test(typed) ? await place.held?.find(typed) : undefined;
  if (held !== undefined) throw notStarted(held, place.flag);
  const nearest = await nearestRun(place, typed);
  throw new CliError('run-not-found', `no run is called "${makeVisible(typed)}"`, {
    hint:
      nearest === undefined
        ? `See all runs, finished ones too: clf ps${place.flag} -a`
        : `Did you mean ${makeVisible(nearest)}?`,
    detail: { typed },
  });
}

/* It is on another host, or nowhere. */
async function notOnHost(place: RunLister, host: string, typed: string): Promise<unknown> {
  const list: RunLister['list'] = (query) => place.list({ ...query, isAnyHost: true });
  const everywhere = { list, flag: place.flag, ...(place.held && { held: place.held }) };
  const run = await findRun(everywhere, typed).catch((error: unknown) => error);
  // It has to be told as what is found wrong there.
  if (run instanceof Error) return run;
  const { runId, labels } = run as Run;
  const where = hostNameOf(labels);
  const there = where === localHost ? 'on no SSH host' : `on ${makeVisible(where)}`;
  return new CliError(
    'run-elsewhere',
    `run ${shortId({ runId })} is ${there}, not on ${makeVisible(host)}`,
    { hint: 'Leave out --host, or name that one.', detail: { runId, host: where } },
  );
}

/* One that is meant; several: nobody can tell which. */
async function namedRuns(
  place: RunLister,
  name: string,
  isLiving: boolean,
): Promise<readonly Run[]> {
  const labels = { [nameLabel]: name };
  const newest = await place.list({ labels, limit: candidatesMax });
  // A name may be used again after its run has ended; the living one is meant then.
  const living = newest.filter((run) => run.state !== 'exited');
  if (living.length > 0) return living;
  const withLeftovers =
    newest.length < candidatesMax
      ? newest.filter(hasLeftovers)
      : await namesakesWithLeftovers(place, name);
  if (withLeftovers.length > 0) return isLiving ? withLeftovers : withLeftovers.slice(0, 1);
  // Of ended ones the newest: a build of every day has one name.
  return newest.slice(0, 1);
}

/* Ended runs of this name of which something lives, the newest first. */
export async function namesakesWithLeftovers(
  place: Pick<RunLister, 'list'>,
  name: string,
): Promise<readonly Run[]> {
  const ended = { labels: { [nameLabel]: name }, states: ['exited'], limit: namesakesMax } as const;
  return (await place.list(ended)).filter(hasLeftovers);
}

/* T4: it is over, and something of it lives. `ps` lists it with what lives. */
export function hasLeftovers(run: Pick<Run, 'state' | 'treeEndedAtMs'>): boolean {
  return run.state === 'exited' && run.treeEndedAtMs === undefined;
}

/* A person has to decide first, or has. */
export function notStarted(held: HeldRequest, flag: string): CliError {
  const { runId, approvalId, state, changed, askedAgainAs } = held;
  const approval = approvalId.slice(0, shortIdChars);
  const whats: Readonly<Record<HeldRequest['state'], string>> = {
    pending: `waits for approval ${approval}`,
    allowed: `has not started; approval ${approval} allows it`,
    denied: `will not start: approval ${approval} is denied`,
    expired: `will not start: approval ${approval} has expired`,
    changed: `will not start: ${makeVisible(formatChanged({ changed, askedAgainAs }))}`,
  };
  const isOver = state !== 'pending' && state !== 'allowed';
  return new CliError('run-held', `run ${runId} ${whats[state]}`, {
    hint:
      state === 'pending'
        ? `Decide: clf allow${flag} ${approval}, or clf deny${flag} ${approval}. What it is: clf approvals${flag}`
        : `What became of it: clf approvals${flag}${isOver ? ' -a' : ''}`,
    detail: { runId, approvalId, state },
  });
}

/* What can be one; a gateway refuses to look for anything else. */
function isName(typed: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(typed);
}

/* A name, or an id that begins nearly so. */
async function nearestRun(place: RunLister, typed: string): Promise<string | undefined> {
  const records = await place.list({ limit: neighboursMax });
  const names = new Set(records.flatMap(({ labels }) => labels[nameLabel] ?? []));
  const name = suggestNearest(typed, [...names]);
  if (name !== undefined || typed.length < neighbourCharsMin) return name;
  const beginnings = new Map(records.map(({ runId }) => [runId.slice(0, typed.length), runId]));
  const beginning = suggestNearest(typed, [...beginnings.keys()]);
  return beginnings.get(beginning ?? '')?.slice(0, shortIdChars);
}

export function shortId(record: { readonly runId: RunId }): string {
  return record.runId.slice(0, shortIdChars);
}

/* What a person types to mean a living run: its name, if it has one. */
export function handiestName(run: Pick<Run, 'runId' | 'labels'>): string {
  return run.labels[nameLabel] ?? shortId(run);
}

export function ambiguous(typed: string, candidates: readonly Run[]): CliError {
  const list = candidates
    .slice(0, candidatesMax - 1)
    .map((record) => `${record.runId} (${record.state}: ${makeVisible(record.command)})`);
  const more = candidates.length > list.length ? ', …' : '';
  return new CliError('run-ambiguous', `several runs match "${makeVisible(typed)}"`, {
    hint: `Say which: ${list.join(', ')}${more}`,
    detail: { typed, matches: candidates.length },
  });
}
