/*
 * Looks that do not end, as on a mount whose server is gone: few at a time, each account by itself, and the caller does not wait for them.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createShellHere } from '../../src/artifacts/shell-here.ts';
import type { ShellRun } from '../../src/artifacts/shell-tree.ts';
import { createBoundedShells, NoRoomError } from '../../src/directories/bounded-shell.ts';

function command(signal: AbortSignal, script = ''): ShellRun {
  return { argv: ['sh', '-c', script], take: async () => {}, signal };
}

test('two hang, the third is told that there is no room, and another account is not kept', async () => {
  const shells = createBoundedShells();
  const hanging: PromiseWithResolvers<number>[] = [];
  const hang = () => {
    const one = Promise.withResolvers<number>();
    hanging.push(one);
    return one.promise;
  };
  const run = shells.bound('mine', hang);
  const given = new AbortController();
  const first = assert.rejects(run(command(given.signal)), { name: 'AbortError' });
  const second = assert.rejects(run(command(given.signal)), { name: 'AbortError' });
  const patience = new AbortController();
  const third = assert.rejects(run(command(patience.signal)), NoRoomError);
  given.abort();
  await Promise.all([first, second]);
  patience.abort();
  await third;
  assert.equal(hanging.length, 2, 'what hangs still counts, although its callers have left');
  const other = shells.bound('other', async () => 0);
  assert.equal(await other(command(new AbortController().signal)), 0);
  // One of them comes back: there is room again.
  const fourth = run(command(new AbortController().signal));
  hanging[0]?.resolve(0);
  while (hanging.length < 3) await Promise.resolve();
  hanging[2]?.resolve(7);
  assert.equal(await fourth, 7);
  hanging[1]?.resolve(0);
});

test('a caller does not wait for a shell that holds on after it was killed', async () => {
  const run = createBoundedShells().bound('mine', createShellHere(undefined));
  const ending = new AbortController();
  let pid = 0;
  const take = async (piece: Uint8Array): Promise<void> => {
    pid = Number(Buffer.from(piece).toString());
    ending.abort();
  };
  // In a session of its own it is not killed with the shell, and holds its output open.
  const script = "setsid sh -c 'echo $$; exec sleep 600'";
  await assert.rejects(run({ argv: ['sh', '-c', script], take, signal: ending.signal }));
  process.kill(pid, 'SIGKILL');
});
