/*
 * How much one account may take of this gateway and its machine, so that whatever one does, the others and the owner go on as if it
 * were not there (docs/decisions/0026-bounds-of-accounts.md). The numbers are settings; the reasons of the usual ones are here.
 *
 * Of each number of places, what comes with a token gets three quarters (`tokenShareOf`): an agent cannot lock its person out.
 */
import { machineAccounts } from '@clawdfather/supervisor/origins';
import type { RunBounds } from '@clawdfather/tools';
import { type SessionBounds, usualSessionBounds } from './session-bounds.ts';

export interface AccountBounds {
  /* Runs of which something lives. People and agents have a handful; a loop has thousands. */
  readonly liveRunsMax: number;
  /* WebSockets: some phones, many tabs, a few programs. Each may hold half a megabyte for a client that does not read. */
  readonly socketsMax: number;
  /* Requests that stay open: event streams, long polls, starts that are waited for, MCP. As many as runs can be followed twice. */
  readonly streamsMax: number;
  readonly members: MemberBounds;
  readonly sessions: SessionBounds;
}

/* The machine belongs to its owner, whose output is bounded by the disk and by what is kept of finished runs alone. */
export interface MemberBounds {
  /*
   * Journals on disk. Half of it is for living runs, each counted as large as it may get: with the usual numbers 64 MiB for each
   * of 64, a day of a chatty build. Finished runs have the rest.
   */
  readonly journalBytesMax: number;
  /*
   * What all runs of the account together may say. More than people read and builds write; far less than a disk takes, so that the
   * owner's commits do not wait behind it, and a processor hardly notices it.
   */
  readonly outputBytesPerSecond: number;
  /* Of the commands, and of the shims that write down what they say: they get what the owner and the gateway leave. */
  readonly nice: number;
}

export const usualAccountBounds: AccountBounds = {
  liveRunsMax: 64,
  socketsMax: 256,
  streamsMax: 128,
  members: {
    journalBytesMax: 8 * 1024 ** 3,
    outputBytesPerSecond: 16 * 1024 ** 2,
    nice: 19,
  },
  sessions: usualSessionBounds,
};

/* What may be said at once after a silence, in seconds of the rate: a long listing comes without a break. */
const burstSeconds = 2;
/* What the supervisor takes. */
const burstBytesMax = 1024 ** 3;
/* Below it a run that ends would leave its last lines for minutes. */
const rateMin = 64 * 1024;
/* A start takes milliseconds, and those of others wait behind it. */
const startsAtOnceMax = 2;
const runJournalBytesMin = 64 * 1024;

/* Everybody but the owner, and what runs on the machine without an account. */
export function isMemberBeside(ownerId: string): (account: string) => boolean {
  return (account) => account !== '' && account !== ownerId && !machineAccounts.includes(account);
}

export function runBoundsOf(
  { liveRunsMax, members }: AccountBounds,
  isMember: (account: string) => boolean,
): (account: string) => RunBounds {
  const { journalBytesMax, nice } = members;
  const bytesPerSecond = Math.max(rateMin, members.outputBytesPerSecond);
  const livingBytesMax = Math.floor(journalBytesMax / 2);
  const usualBytesMax = Math.max(runJournalBytesMin, Math.floor(livingBytesMax / liveRunsMax));
  const burstBytes = Math.min(burstBytesMax, bytesPerSecond * burstSeconds);
  const ofMember: RunBounds = {
    liveRunsMax,
    nice,
    startsAtOnceMax,
    output: {
      journalBytesMax: livingBytesMax,
      usualBytesMax,
      rate: { bytesPerSecond, burstBytes },
    },
  };
  return (account) => (isMember(account) ? ofMember : { liveRunsMax });
}
