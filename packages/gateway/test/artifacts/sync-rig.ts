/*
 * A database with a thread whose turn has just ended, a directory that it left things in, and what finishes the look at it, without a gateway
 * around it: so that it can be lost at any point and begun anew.
 */
import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  admitTurn,
  type ArtifactSyncRow,
  cancelTurn,
  enqueueTurn,
  finishArtifacts,
  type ThreadChange,
  type ThreadRow,
} from '@clawdfather/agents';
import { createSystemClock, createSystemRandom, silentLog } from '@clawdfather/kit';
import { type AccountId, openStore, parseAccountId, type Store } from '@clawdfather/store';
import type { RunId } from '@clawdfather/supervisor';
import { type ContentStore, openContentStore } from '../../src/artifacts/content-store.ts';
import { createLocalTree } from '../../src/artifacts/local-tree.ts';
import { usualArtifactBounds } from '../../src/artifacts/limits.ts';
import { settleAbandoned } from '../../src/artifacts/settle-abandoned.ts';
import { createArtifactSyncs, type SyncDeps } from '../../src/artifacts/sync-artifacts.ts';

export const instanceId = 'gateway-a';

export interface SyncRig extends AsyncDisposable {
  readonly store: Store;
  readonly accountId: AccountId;
  readonly contents: ContentStore;
  /* Of the contents. */
  readonly directory: string;
  readonly project: string;
  write(path: string, text: string): Promise<void>;
  /* A turn that has begun and ended; its id. */
  endTurn(dirs?: readonly string[]): Promise<string>;
  /* Begins the looks; resolves when this turn's has ended, or with `undefined` when it was lost. */
  /* Ends a look as a gateway does for one that has not come back. */
  settleAbandoned(instanceId: string, wallMs: number): Promise<void>;
  finish(turnId: string, deps?: Partial<SyncDeps>): Promise<ArtifactSyncRow | undefined>;
  events(): Promise<readonly string[]>;
}

export interface RigOptions {
  /* Where contents are kept; default beside the project. */
  readonly directory?: string;
}

const clock = createSystemClock();
const random = createSystemRandom();

export async function openSyncRig(options: RigOptions = {}): Promise<SyncRig> {
  const place = await mkdtemp(join(tmpdir(), 'clf-sync-'));
  await chmod(place, 0o700);
  const project = join(place, 'project');
  const { directory = join(place, 'artifacts') } = options;
  await mkdir(project);
  const store = await openStore(
    { kind: 'sqlite', path: join(place, 'control.db') },
    { clock, random },
  );
  const audit = { action: 'test', actor: 'test' };
  const owner = await store.system.accounts.ensureOwner({ displayName: 'Owner', audit });
  const accountId = parseAccountId(owner.id);
  const { threads, artifacts } = store.forAccount(accountId);
  const { thread } = await threads.create({ agent: 'a', cwd: project, title: 't', instanceId });
  const contents = openContentStore(directory, random);

  const change = async (
    decide: (rows: Awaited<ReturnType<typeof load>>) => ThreadChange | undefined,
  ) => {
    const rows = await load();
    const next = decide(rows);
    if (next === undefined) return false;
    assert.equal(await threads.commit(rows, next), 'committed');
    return true;
  };
  const load = async () => {
    const rows = await threads.load(thread.id);
    assert.ok(rows);
    return rows;
  };
  const endTurn = async (artifactDirs?: readonly string[]): Promise<string> => {
    const id = random.id();
    const asked = {
      id,
      prompt: [],
      loadClass: 'long_task',
      requester: 'test',
      artifactDirs,
    } as const;
    await change((rows) => enqueueTurn(rows, asked, clock.wallMs()));
    await change((rows) => admitTurn(rows, clock.wallMs()));
    // As if an agent had the prompt.
    await change((rows) => ({
      rows: { ...rows, turn: { ...rows.turn!, runId: 'r' as RunId, promptEnd: 1 } },
      endedTurns: [],
      events: [],
      frames: [],
    }));
    const cancel = { turnId: id, cause: 'asked', actor: 'test' } as const;
    await change((rows) => cancelTurn(rows, cancel, clock.wallMs()));
    return id;
  };
  const finish: SyncRig['finish'] = async (turnId, given = {}) => {
    const before = await artifacts.syncOf(turnId);
    if (before?.endedAtMs !== undefined) return before;
    const lost = Promise.withResolvers<undefined>();
    const done = Promise.withResolvers<void>();
    const { onPoint } = given;
    await using syncs = createArtifactSyncs({
      store,
      contents,
      bounds: usualArtifactBounds,
      roomBytes: 0,
      instanceId,
      clock,
      random,
      log: silentLog,
      treeOf: async (_account, { cwd }: ThreadRow) => createLocalTree(cwd),
      threads: {
        keepArtifacts: async (_name, found) => {
          const isFirst = await change((rows) => finishArtifacts(rows, found, clock.wallMs()));
          done.resolve();
          return isFirst;
        },
      },
      ...given,
      onPoint: (point) => {
        try {
          onPoint?.(point);
        } catch (error) {
          lost.resolve(undefined);
          throw error;
        }
      },
    });
    syncs.kick();
    await Promise.race([done.promise, lost.promise]);
    return artifacts.syncOf(turnId);
  };
  return {
    store,
    settleAbandoned: (by, wallMs) =>
      settleAbandoned({
        store,
        instanceId: by,
        clock: { ...clock, wallMs: () => wallMs },
        log: silentLog,
        threads: {
          keepArtifacts: (_name, found) =>
            change((rows) => finishArtifacts(rows, found, clock.wallMs())),
        },
      }),
    accountId,
    contents,
    directory,
    project,
    write: async (path, text) => {
      await mkdir(dirname(join(project, path)), { recursive: true });
      await writeFile(join(project, path), text);
    },
    endTurn,
    finish,
    events: async () =>
      (await threads.events(thread.id, { after: 0, limit: 500 })).map(({ type }) => type),
    [Symbol.asyncDispose]: async () => {
      await store[Symbol.asyncDispose]();
      await rm(place, { recursive: true, force: true });
    },
  };
}
