/*
 * A conversation in a directory that is not there could never work, so it is not begun. Only a certain answer is a reason: what this gateway
 * may not look at, a member's own user may; and where no answer comes in time, the first turn will tell.
 *
 * A look is a shell as suggestions have them, few at a time for each account: on a mount whose server is gone it does not end.
 */
import { resolve } from 'node:path';
import { type AccountId, type Clock, startTimeLimit } from '@clawdfather/kit';
import type { Connection, Store } from '@clawdfather/store';
import { TreeError } from '../artifacts/artifact-tree.ts';
import { createShellHere } from '../artifacts/shell-here.ts';
import type { RunShell } from '../artifacts/shell-tree.ts';
import { type BoundedShells, lookMs, NoRoomError } from '../directories/bounded-shell.ts';
import type { AgentPlaces } from '../hosts/agent-places.ts';
import { ApiError } from '../http/api-error.ts';
import { listOpenSessions } from '../sessions/list-open-sessions.ts';

export interface DirectoryLookDeps {
  readonly store: Store;
  readonly clock: Clock;
  /* The ones that suggestions use, too. */
  readonly shells: BoundedShells;
  readonly hosts: { readonly agents: Pick<AgentPlaces, 'streamShort'> };
}

/* As whoever will work there. */
const looksThere = `cd -- "$1" 2>/dev/null && echo CLF-THERE || echo CLF-NOT-THERE`;

/* $1 from the root on. It is not there if the nearest directory that is above it would let us see it. */
const looksHere = `[ -d "$1" ] && { echo CLF-THERE; exit; }
d=$1; while [ ! -d "$d" ] && [ "$d" != "\${d%/*}" ]; do d=\${d%/*}; done
[ -x "\${d:-/}" ] && echo CLF-NOT-THERE`;

/* More is what a login shell says before. */
const outputCharactersMax = 64 * 1024;

export async function refuseNoDirectory(
  deps: Pick<DirectoryLookDeps, 'clock' | 'shells'>,
  accountId: AccountId,
  path: string,
): Promise<void> {
  const run = deps.shells.bound(accountId, createShellHere(undefined));
  const isThere = await look(deps, run, ['sh', '-c', looksHere, 'clf', resolve(path)]);
  if (isThere === false) throw notThere(path, 'the gateway’s machine');
}

/*
 * On a host only where a session is open: none is opened for it. A path that does not begin at the root means what the host makes of it.
 */
export async function refuseNoDirectoryOnHost(
  deps: DirectoryLookDeps,
  {
    accountId,
    id: connectionId,
    label,
  }: Pick<Connection, 'id' | 'label'> & { accountId: AccountId },
  path: string,
): Promise<void> {
  if (!path.startsWith('/')) return;
  const open = await listOpenSessions(deps.store.forAccount(accountId));
  const session = open.find((one) => one.connectionId === connectionId && one.status === 'active');
  if (session === undefined) return;
  const run = deps.shells.bound(accountId, (command) =>
    deps.hosts.agents.streamShort(session.id, command),
  );
  const isThere = await look(deps, run, ['sh', '-c', looksThere, 'clf', path]);
  if (isThere === false) throw notThere(path, label);
}

/* Undefined: nobody knows. */
async function look(
  { clock }: Pick<DirectoryLookDeps, 'clock'>,
  run: RunShell,
  argv: readonly [string, ...string[]],
): Promise<boolean | undefined> {
  using limit = startTimeLimit(clock, lookMs, []);
  let said = '';
  const take = async (piece: Uint8Array): Promise<void> => {
    if (said.length < outputCharactersMax) said += Buffer.from(piece).toString('latin1');
  };
  try {
    await run({ argv, take, signal: limit.signal });
  } catch (error) {
    const isNoAnswer = error instanceof NoRoomError || error instanceof TreeError;
    if (isNoAnswer || limit.signal.aborted) return undefined;
    throw error;
  }
  // What a login shell says before is no answer.
  const answer = /^CLF-(NOT-)?THERE$/m.exec(said);
  return answer === null ? undefined : answer[1] === undefined;
}

function notThere(path: string, where: string): ApiError {
  return new ApiError('validation_error', `${path} is not a directory on ${where}`, {
    hint: 'Name one that is there, or leave it out.',
  });
}
