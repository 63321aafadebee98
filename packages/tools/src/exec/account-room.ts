/*
 * How much one account may have at a time: living runs, and the bytes that their journals may grow to together. An agent in a loop
 * must not take the machine, and an agent must not take all of its account: what comes with a token gets three quarters at the
 * most, so that a person finds a place on a device, if only to end something.
 *
 * A place is taken before the start and given back when the run is in the registry or will never be, so calls at the same moment do
 * not go beyond it together. A run is alive until nothing of its tree is left: a command that leaves a process in the background
 * and ends keeps its place. One room is shared by the tools for people and for agents.
 *
 * A run that a person has allowed starts in any case: it had its place when it was asked for.
 */
import type { OutputRate, RunId, RunRecord, Supervisor } from '@clawdfather/supervisor';
import { journalMaxLabel, requesterLabel } from '@clawdfather/supervisor/origins';
import { ToolsError } from '../errors.ts';
import { filterOf } from '../process/find-run.ts';
import { createStartTurns } from './start-turns.ts';

export interface RunBounds {
  readonly liveRunsMax: number;
  /* Absent: none of these. */
  readonly output?: OutputBounds | undefined;
  /* At least this. */
  readonly nice?: number | undefined;
  /* Of people, and as many of tokens. Absent: as many as are asked for. */
  readonly startsAtOnceMax?: number | undefined;
}

export interface OutputBounds {
  /* Journals of living runs together, each counted as large as it may get. */
  readonly journalBytesMax: number;
  /* Of a run that names none. */
  readonly usualBytesMax: number;
  /* Of all its runs together. */
  readonly rate: Omit<OutputRate, 'key'>;
}

export interface AccountRoom {
  boundsOf(account: string): RunBounds;
  /* Throws `run-limit-reached`, `journal-limit-reached`. */
  take(asked: AskedPlace): Disposable;
  /* Does the work as soon as the account has not too many starts under way. */
  inTurn<Result>(whose: Whose, work: () => Promise<Result>): Promise<Result>;
}

interface Whose {
  readonly account: string;
  readonly requester: string;
}

export interface AskedPlace extends Whose {
  readonly runId: string;
  readonly journalBytesMax: number | undefined;
}

export interface AccountRoomDeps {
  readonly supervisor: Pick<Supervisor, 'get' | 'list'>;
  readonly boundsOf: (account: string) => RunBounds;
  /* Whether a person asked, on a device. */
  readonly isOfPerson: (requester: string) => boolean;
}

/* Of this many places, so many are for what comes with a token. */
export function tokenShareOf(placesMax: number): number {
  return Math.max(1, Math.floor((placesMax * 3) / 4));
}

interface Place {
  readonly account: string;
  readonly requester: string;
  readonly bytes: number;
}

export function createAccountRoom(deps: AccountRoomDeps): AccountRoom {
  const { supervisor, boundsOf, isOfPerson } = deps;
  /* Not in the registry yet. */
  const taken = new Map<string, Place>();
  const turns = createStartTurns();

  const placesOf = (account: string, rowsMax: number): readonly Place[] => {
    const living = supervisor.list({
      ...filterOf({ account }),
      hasTree: true,
      includeRemoved: true,
      limit: rowsMax,
    });
    const begun = [...taken].filter(
      ([id, place]) => place.account === account && supervisor.get(id as RunId) === undefined,
    );
    return [...living.map(placeOf), ...begun.map(([, place]) => place)];
  };

  return {
    boundsOf,
    inTurn: ({ account, requester }, work) => {
      const { startsAtOnceMax } = boundsOf(account);
      const line = `${isOfPerson(requester) ? 'people' : 'tokens'} ${account}`;
      return startsAtOnceMax === undefined ? work() : turns.run(line, startsAtOnceMax, work);
    },
    take: ({ runId, account, requester, journalBytesMax }) => {
      const { liveRunsMax, output } = boundsOf(account);
      // A repeated request starts no further run.
      if (supervisor.get(runId as RunId) !== undefined) return { [Symbol.dispose]: () => {} };
      const all = placesOf(account, liveRunsMax);
      const isPerson = isOfPerson(requester);
      // A person's places beyond the tokens' share are not the tokens' to count.
      const others = isPerson ? all : all.filter((place) => !isOfPerson(place.requester));
      const share = isPerson ? liveRunsMax : tokenShareOf(liveRunsMax);
      if (all.length >= liveRunsMax || others.length >= share) {
        throw noPlace(all.length >= liveRunsMax ? liveRunsMax : share, liveRunsMax);
      }
      const bytes = output === undefined ? 0 : (journalBytesMax ?? output.usualBytesMax);
      if (output !== undefined) {
        const most = output.journalBytesMax;
        const own = isPerson ? most : tokenShareOf(most);
        const leftBytes = Math.min(most - sumOf(all), own - sumOf(others));
        if (bytes > leftBytes) throw noBytes(bytes, { leftBytes, journalBytesMax: most });
      }
      taken.set(runId, { account, requester, bytes });
      return { [Symbol.dispose]: () => void taken.delete(runId) };
    },
  };
}

function placeOf({ labels }: RunRecord): Place {
  return {
    account: '',
    requester: labels[requesterLabel] ?? '',
    bytes: Number(labels[journalMaxLabel] ?? 0),
  };
}

function sumOf(places: readonly Place[]): number {
  return places.reduce((sum, { bytes }) => sum + bytes, 0);
}

function noPlace(reached: number, liveRunsMax: number): ToolsError {
  const whose = reached === liveRunsMax ? 'runs' : 'runs of tokens';
  return new ToolsError('run-limit-reached', `${reached} ${whose} are alive already`, {
    detail: { liveRunsMax, reached },
    hint: 'End one, or wait until one has ended.',
  });
}

function noBytes(
  wanted: number,
  { leftBytes, journalBytesMax }: { readonly leftBytes: number; readonly journalBytesMax: number },
): ToolsError {
  const left = Math.max(0, leftBytes);
  return new ToolsError(
    'journal-limit-reached',
    `it may keep ${wanted} bytes of output, and living runs leave ${left} of the account's ${journalBytesMax}`,
    {
      detail: { wanted, left, journalBytesMax },
      hint: 'End a run that keeps much, or ask for less with journalBytesMax.',
    },
  );
}
