/*
 * Our own way, as the gateway goes it, without the gateway: a place, the lease on disk, the bootstrap, a supervised run of the mux
 * client with its journal and its record, its report, and the lease removed when the end is confirmed. The parts are those of
 * packages/gateway/src/hosts.
 */
import { join } from 'node:path';
import { type AccountId, deferred, type Scope, silentLog } from '@clawdfather/kit';
import { openMaster } from '@clawdfather/ssh';
import { type ManagedRun, shimBinaryPath } from '@clawdfather/supervisor';
import { createHostCommands } from '../../../../packages/gateway/src/hosts/host-commands.ts';
import { homeOnHost } from '../../../../packages/gateway/src/hosts/host-commands.ts';
import type { LiveHost } from '../../../../packages/gateway/src/hosts/host-sessions.ts';
import { createLeaseFiles } from '../../../../packages/gateway/src/hosts/lease-files.ts';
import { createPlaceQueue, type Places } from '../../../../packages/gateway/src/hosts/places.ts';
import { clock, random, type World } from '../world.ts';
import { type SshContender, timeOf, turnOf } from './contender.ts';

export const library = 'library';

export interface StartedOnHost {
  readonly run: ManagedRun;
  /* By which its processes are found on the host. */
  readonly leaseId: string;
}

export interface Library extends SshContender {
  start(argv: readonly [string, ...string[]]): Promise<StartedOnHost>;
  /* Resolves when every command is settled: its report was read, and its lease removed. */
  quiet(): Promise<void>;
  /* Commands whose end on the host is not confirmed. */
  leases(): Promise<number>;
}

/* As many as are asked for: this is about the cost of a command, and the basis has no queue either. */
const placesMax = 64;
/* What a benchmark leaves that was killed ends by itself. */
const overallTimeoutMs = 10 * 60_000;

export async function openLibrary(scope: Scope, world: World): Promise<Library> {
  const { supervisor, masterDeps, masterRequest } = world;
  const { connectionId } = masterRequest;
  const hooks = { endCommands: async () => {}, failCommands: () => {}, changed: () => {} };
  const master = openMaster(masterDeps, masterRequest, { hooks, signal: scope.signal });
  scope.defer(async () => void (await master.drain('closed')));
  const started = await master.started;
  if (started !== 'live') throw new Error(`the master did not start: ${started.cause}`);

  const files = createLeaseFiles(join(world.directory, 'leases'));
  const leaseIds = new Set<string>();
  const places = countPlaces(createPlaceQueue(placesMax));
  const commands = createHostCommands({
    supervisor,
    clock,
    random,
    log: silentLog,
    shimPath: shimBinaryPath(),
    leases: files,
    // Nothing is lost here.
    losses: { explain: () => undefined },
    placesOf: () => places,
    isOpen: async () => true,
    begun: () => {},
    ended: () => {},
  });
  scope.use(commands);
  const session = { accountId: random.id() as AccountId, id: random.id() };
  const host: LiveHost = { session, connectionId, master };

  const start: Library['start'] = async (argv) => {
    const runId = random.id();
    const asked = {
      runId,
      command: { kind: 'argv', argv },
      cwd: homeOnHost,
      envAdditions: {},
      terminal: undefined,
      user: undefined,
      account: 'bench',
      graceMs: undefined,
      requester: 'bench',
      sessionId: undefined,
    } as const;
    const prepared = await commands.prepare(host, asked, scope.signal);
    const { spawn: plan, sessionId, shownAs, graceMs } = prepared;
    if (plan.mode !== 'child') throw new Error(`planned as ${plan.mode}`);
    const run = await supervisor.spawn({
      ...plan,
      runId,
      sessionId,
      shownAs,
      graceMs,
      backendId: 'bench',
      stdin: 'closed',
      overallTimeoutMs,
      leftovers: 'keep',
    });
    prepared.started(run);
    const leaseId = leaseIn(plan.env['CLAWDFATHER_MUX_COMMAND'] ?? '');
    leaseIds.add(leaseId);
    return { run, leaseId };
  };
  const runOne = async (): Promise<void> => {
    const { run } = await start(['true']);
    const { code, reason } = await run.wait();
    if (code !== 0) throw new Error(`the run ended with ${code ?? reason}`);
  };
  return {
    name: library,
    start,
    once: () => timeOf(runOne),
    turn: async (loop) => {
      const turn = await turnOf(loop, runOne);
      await places.quiet();
      return turn;
    },
    quiet: () => places.quiet(),
    leases: async () => {
      const left = await files.list(connectionId);
      return left.filter(({ leaseId }) => leaseIds.has(leaseId)).length;
    },
  };
}

/* From what is sent to the host. */
function leaseIn(execString: string): string {
  const match = /CLAWDFATHER_LEASE_ID=([0-9a-z]+)/.exec(execString);
  if (match?.[1] === undefined) throw new Error('a command was sent without a lease');
  return match[1];
}

/* A place is left when its command is settled. */
function countPlaces(places: Places): Places & { quiet(): Promise<void> } {
  let taken = 0;
  let empty = deferred<void>();
  return {
    ...places,
    take: async (id, signal) => {
      taken += 1;
      await places.take(id, signal);
    },
    leave: (id) => {
      places.leave(id);
      taken -= 1;
      if (taken > 0) return;
      empty.resolve();
      empty = deferred();
    },
    quiet: async () => {
      if (taken > 0) await empty.promise;
    },
  };
}
