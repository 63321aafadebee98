/*
 * Who is at the other end of a connection within this machine: a shielded command, or another program.
 *
 * While no gateway runs, its port is free for everyone, a shielded command too, and a secret that is sent there is the command's. So
 * before one is sent, the holder of the other end is looked for.
 *
 *   a process outside has it                      → fine
 *   a shielded command has it                     → shielded
 *   it is another user's                          → fine; a shielded command runs as we do
 *   no holder is seen, and no shielded command lives → fine
 *   no holder is seen, and one lives              → unknown: it can hide its open files (PR_SET_DUMPABLE), or let
 *                                                   the socket travel in a message while we look
 */
import { getuid, pid as ownPid } from 'node:process';
import type { RunId } from '@clawdfather/supervisor';
import { findGateway } from '../../gateway/gateway-file.ts';
import {
  claimedRunId,
  type FindRun,
  isShimOfShielded,
  type RunAround,
  shieldedRunAround,
  type ShimRun,
} from './run-around.ts';
import {
  holdingOf,
  readProcess,
  readProcesses,
  type SeenProcess,
  type SeenProcesses,
} from './seen-processes.ts';
import { type Ends, type ListedSocket, socketsAtOtherEnd } from './tcp-table.ts';

export type Peer =
  | { readonly kind: 'fine' }
  | { readonly kind: 'shielded'; readonly pid: number; readonly runId: RunId | undefined }
  | { readonly kind: 'unknown' };

export type LookAtPeer = (ends: Ends) => Promise<Peer>;

const fine: Peer = { kind: 'fine' };
/* Processes come, go and hand over while they are looked at. What is found fine once is fine. */
const looksMax = 3;

interface Shielded extends RunAround {
  readonly pid: number;
}

/* Over the registry and the gateway's file of this state directory. */
export function createPeerLook(stateDir: string): LookAtPeer {
  /* The process outside that had it the last time. */
  let last: number | undefined;
  const look = async (ends: Ends): Promise<Peer> => {
    const sockets = socketsAtOtherEnd(ends);
    if (sockets.length === 0) return fine;
    const inodes = new Set(sockets.map(({ inode }) => inode));
    const gateway = gatewayPid(stateDir, ends);
    // Most often it is one of these. Whether the number is another process's by now is seen as well.
    if (holderOutside([gateway, last].map(readIfAny), inodes) !== undefined) return fine;
    const seen = readProcesses();
    last = holderOutside([...seen.values()], inodes)?.pid;
    if (last !== undefined) return fine;
    const { inside, areSome } = await findShielded(seen, stateDir);
    // A command in a shield that calls a gateway has no secret of a person to send.
    if (inside.some(({ pid, isGuess }) => pid === ownPid && !isGuess)) return fine;
    if (!areSome && showsEverything(seen)) return fine;
    const has = (pid: number): boolean => holdingOf(pid, inodes) === 'holds';
    const holder = inside.find(({ pid }) => has(pid));
    if (holder !== undefined) return shieldedPeer(holder);
    const pidsInside = new Set(inside.map(({ pid }) => pid));
    const isFine =
      areOthers(sockets) || [...seen.keys()].some((pid) => !pidsInside.has(pid) && has(pid));
    return isFine || isHidden(gateway, inodes) ? fine : { kind: 'unknown' };
  };
  return async (ends) => {
    let peer = await look(ends);
    for (let looks = 1; looks < looksMax && peer.kind === 'unknown'; looks += 1) {
      peer = await look(ends);
    }
    return peer;
  };
}

function readIfAny(pid: number | undefined): SeenProcess | undefined {
  return pid === undefined ? undefined : readProcess(pid);
}

/* One that can still gain privileges, and so was never in a shield. */
function holderOutside(
  processes: readonly (SeenProcess | undefined)[],
  inodes: ReadonlySet<string>,
): SeenProcess | undefined {
  return processes.find(
    (one) => one?.gainsNothing === false && holdingOf(one.pid, inodes, 'first') === 'holds',
  );
}

interface FoundShielded {
  readonly inside: readonly Shielded[];
  /* Also when none of their processes was met. */
  readonly areSome: boolean;
}

async function findShielded(seen: SeenProcesses, stateDir: string): Promise<FoundShielded> {
  // Imported here: a database is not for every command.
  const { glimpseRunOfShim } = await import('@clawdfather/supervisor/peek');
  const found = new Map<number, ShimRun | undefined>();
  const findRun: FindRun = (shim) => {
    if (!found.has(shim.pid)) found.set(shim.pid, glimpseRunOfShim(stateDir, shim));
    return found.get(shim.pid);
  };
  const all = [...seen.values()];
  const inside = all.flatMap((one) => {
    const around = shieldedRunAround(one, seen, findRun);
    return around === undefined ? [] : [{ ...around, pid: one.pid }];
  });
  const areSome = inside.length > 0 || all.some((one) => isShimOfShielded(one, findRun));
  return { inside, areSome };
}

function shieldedPeer({ pid, runId }: Shielded): Peer {
  return { kind: 'shielded', pid, runId: runId ?? claimedRunId(pid) };
}

/* Where others' processes are hidden (hidepid), so is one of ours that hides its open files. */
function showsEverything(seen: SeenProcesses): boolean {
  return seen.has(1);
}

/* Root can give a socket to another user, also with what a shield leaves of its rights. */
function areOthers(sockets: readonly ListedSocket[]): boolean {
  const own = getuid?.();
  return own !== 0 && sockets.every(({ uid }) => uid !== own);
}

/* Of the gateway that gateway.json names, if it runs and this is its port; shielded commands cannot write that file. */
function gatewayPid(stateDir: string, { remotePort }: Ends): number | undefined {
  const found = findGateway(stateDir);
  if (found.kind !== 'running') return undefined;
  const { protocol, port } = new URL(found.record.url);
  const usual = protocol === 'https:' ? 443 : 80;
  return Number(port || usual) === remotePort ? found.record.pid : undefined;
}

/* A Node that may listen on port 80 (setcap) cannot be looked into by its own user. */
function isHidden(pid: number | undefined, inodes: ReadonlySet<string>): boolean {
  return pid !== undefined && holdingOf(pid, inodes) === 'hidden';
}
