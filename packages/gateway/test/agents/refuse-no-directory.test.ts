/*
 * The look at the directory of a new conversation: certain answers refuse it, and a host that gives none keeps nobody.
 */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSystemClock } from '@clawdfather/kit';
import { parseAccountId, type Store } from '@clawdfather/store';
import { createFakeClock } from '@clawdfather/testkit';
import {
  refuseNoDirectory,
  refuseNoDirectoryOnHost,
} from '../../src/agents/refuse-no-directory.ts';
import { TreeError } from '../../src/artifacts/artifact-tree.ts';
import type { RunShell } from '../../src/artifacts/shell-tree.ts';
import { createBoundedShells } from '../../src/directories/bounded-shell.ts';

const accountId = parseAccountId('a'.repeat(26));
const connection = { accountId, id: 'c', label: 'web' };
const session = { id: 's', connectionId: 'c', status: 'active' };
/* With one open session on the host. */
const store = {
  forAccount: () => ({ sessions: { list: async () => ({ items: [session], total: 1 }) } }),
} as unknown as Store;

const hostWith = (run: RunShell) => ({
  agents: { streamShort: async (_id: string, command: Parameters<RunShell>[0]) => run(command) },
});

const says =
  (text: string): RunShell =>
  async ({ take }) => {
    await take(Buffer.from(text));
    return 0;
  };

test('on a host that never answers: not refused after some seconds, and few looks at a time', async () => {
  const clock = createFakeClock();
  const ended: PromiseWithResolvers<number>[] = [];
  const twoAsked = Promise.withResolvers<void>();
  // On a mount whose server is gone: it does not end, not even when it is killed.
  const hosts = hostWith(() => {
    ended.push(Promise.withResolvers<number>());
    if (ended.length === 2) twoAsked.resolve();
    return ended.at(-1)?.promise ?? Promise.reject(new Error('none'));
  });
  const deps = { store, clock, hosts, shells: createBoundedShells() };
  const looks = [1, 2, 3].map(() => refuseNoDirectoryOnHost(deps, connection, '/mnt/dead'));
  await twoAsked.promise;
  await clock.advance(4_000);
  await Promise.all(looks);
  assert.equal(ended.length, 2, 'the third found no room');
  const fourth = refuseNoDirectoryOnHost(deps, connection, '/mnt/dead');
  ended[0]?.resolve(1);
  while (ended.length < 3) await Promise.resolve();
  ended[2]?.resolve(1);
  await fourth;
});

test('what a host says for certain is believed, and a lost connection is no answer', async () => {
  const deps = { store, clock: createSystemClock(), shells: createBoundedShells() };
  const look = (run: RunShell) =>
    refuseNoDirectoryOnHost({ ...deps, hosts: hostWith(run) }, connection, '/no/where');
  await assert.rejects(look(says('Welcome!\nCLF-NOT-THERE\n')), {
    code: 'validation_error',
    message: '/no/where is not a directory on web',
  });
  await look(says('Welcome!\nCLF-THERE\n'));
  await look(says('Welcome!\n'));
  await look(() => Promise.reject(new TreeError('unreachable')));
  const mistake = new Error('a mistake of ours');
  await assert.rejects(
    look(() => Promise.reject(mistake)),
    mistake,
  );
});

test('on this machine by a process, never by a thread of ours', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'clf-look-'));
  try {
    await mkdir(join(directory, "it's\nhere"));
    await writeFile(join(directory, 'file'), '');
    const clock = createSystemClock();
    const shells = createBoundedShells();
    const look = (path: string) => refuseNoDirectory({ clock, shells }, accountId, path);
    await look('/');
    await look(join(directory, "it's\nhere"));
    for (const path of [join(directory, 'file'), join(directory, 'file/below'), '/no/such/place']) {
      await assert.rejects(look(path), { code: 'validation_error' }, path);
    }
    // There is no room: it is not known.
    const fake = createFakeClock();
    const never = shells.bound(accountId, () => new Promise(() => {}));
    const given = new AbortController();
    const command = { argv: ['sh'] as const, take: async () => {}, signal: given.signal };
    const stuck = [never(command), never(command)].map((one) => one.catch(() => {}));
    const waiting = refuseNoDirectory({ clock: fake, shells }, accountId, '/no/such/place');
    await fake.advance(4_000);
    await waiting;
    given.abort();
    await Promise.all(stuck);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
