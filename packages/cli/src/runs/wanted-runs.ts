/*
 * From `--all` and `--filter` to the runs that are meant: what a place can be asked for, and what is compared afterwards.
 */
import type { RunState } from '@clawdfather/supervisor';
import type { Place, Run, RunQuery } from '../place/place.ts';
import { formatExitShort } from '../render/exit-text.ts';
import { hasLeftovers } from './find-run.ts';
import type { RunCriterion } from './run-criterion.ts';

const liveStates: readonly RunState[] = ['starting', 'running', 'exiting'];
/* Of finished runs, of which there may be very many; what lives is listed to the last one. */
export const rowsDefault = 100;
const rowsMax = 100_000;
/* The newest, and as many as are kept. */
const finishedLookedAt = 1_000;

export interface Wanted {
  readonly query: RunQuery;
  /* Whatever lives: no states, reasons or finished runs were asked for. */
  readonly isLiving: boolean;
  /* What a place cannot be asked; `isSifted` when that leaves out anything. */
  readonly isSifted: boolean;
  readonly isMatch: (run: Run) => boolean;
}

/* Oldest first. Cut: there are more than were asked for, and the oldest were left out. */
export async function listRuns(
  place: Pick<Place, 'list'>,
  wanted: Wanted,
  limit = wanted.isLiving ? rowsMax : rowsDefault,
): Promise<{ readonly runs: readonly Run[]; readonly isCut: boolean }> {
  const lookedAt = wanted.isSifted ? rowsMax : limit + 1;
  const listed = await place.list({ ...wanted.query, limit: lookedAt });
  const found = listed.filter(wanted.isMatch);
  const runs = [
    ...found.slice(0, limit),
    ...(wanted.isLiving ? await withLeftovers(place, wanted.query) : []),
  ].toSorted((left, right) => left.createdAtMs - right.createdAtMs);
  return { runs, isCut: found.length > limit };
}

/* T4: a run may be over and something of it alive; that is running, too. */
async function withLeftovers(place: Pick<Place, 'list'>, query: RunQuery): Promise<readonly Run[]> {
  const finished = await place.list({ ...query, states: ['exited'], limit: finishedLookedAt });
  return finished.filter(hasLeftovers);
}

export function wantedRuns(criteria: readonly RunCriterion[], isAll: boolean): Wanted {
  const labels: Record<string, string> = {};
  const states = new Set<RunState>();
  const reasons = new Set<string>();
  const ends = new Set<string>();
  let isFailedAsked = false;
  let query: RunQuery = {};
  for (const criterion of criteria) {
    switch (criterion.by) {
      case 'state':
        states.add(criterion.state);
        break;
      case 'end':
        ends.add(criterion.word);
        break;
      case 'failed':
        isFailedAsked = true;
        break;
      case 'reason':
        for (const reason of criterion.reasons) reasons.add(reason);
        break;
      case 'session':
        query = { ...query, sessionId: criterion.value };
        break;
      case 'backend':
        query = { ...query, backendId: criterion.value };
        break;
      case 'label':
        labels[criterion.label] = criterion.value;
        break;
    }
  }
  const isEverything = isAll || reasons.size > 0;
  const isEndAsked = ends.size > 0 || isFailedAsked;
  const asked = !isEndAsked ? [...states] : [...new Set([...states, 'exited' as const])];
  // `state=exited` beside `state=ok` is all that have ended.
  const isAnyEnd = !isEndAsked || states.has('exited');
  const isAmong = (word: string): boolean => ends.has(word) || (isFailedAsked && word !== 'ok');
  const isEnd = ({ exit }: Run): boolean =>
    exit === undefined || isAnyEnd || isAmong(formatExitShort(exit));
  const isReason = ({ exit }: Run): boolean =>
    reasons.size === 0 || (exit !== undefined && reasons.has(exit.reason));
  return {
    isLiving: !isEverything && asked.length === 0,
    query: {
      ...query,
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
      ...(asked.length > 0 ? { states: asked } : isEverything ? {} : { states: liveStates }),
    },
    isSifted: reasons.size > 0 || isEndAsked,
    isMatch: (run) => isReason(run) && isEnd(run),
  };
}
