/*
 * Killed in the middle of commits: nothing that was acknowledged is lost, and nothing is there twice.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { AccountStore, StoreLocation } from '@clawdfather/store';
import { onBoth } from './backends.ts';
import { createWorld } from './world.ts';

const writer = fileURLToPath(new URL('fixtures/writer.ts', import.meta.url));
const rounds = 4;
const lanes = 8;

onBoth('kill -9 of a writer loses nothing acknowledged and doubles nothing', async (backend) => {
  const store = await backend.open();
  const { account, threadId } = await createWorld(store);
  const acknowledged = new Set<number>();
  for (let round = 0; round < rounds; round += 1) {
    /* It begins with what it may have sent before: whatever was done then must not happen again. */
    const first = Math.max(0, acknowledged.size - 2 * lanes);
    const args = { location: backend.location, account, threadId, first };
    for (const number of await writeUntilKilled(args, 40 + 17 * round)) acknowledged.add(number);
  }
  const events = await readAll(account, threadId);
  assert.deepEqual(
    events.map(({ seq }) => seq),
    events.map((_, index) => index + 1),
  );
  const stored = events.map(({ payload }) => payload as number);
  assert.equal(new Set(stored).size, stored.length, 'nothing twice');
  for (const number of acknowledged) assert.ok(stored.includes(number), `${number} is there`);
});

interface WriterArguments {
  readonly location: StoreLocation;
  readonly account: AccountStore;
  readonly threadId: string;
  readonly first: number;
}

/** What it had acknowledged when it was killed, after so many. */
async function writeUntilKilled(
  { location, account, threadId, first }: WriterArguments,
  count: number,
): Promise<readonly number[]> {
  const child = spawn(
    process.execPath,
    [
      '--conditions=@clawdfather/source',
      writer,
      JSON.stringify(location),
      account.accountId,
      threadId,
      String(first),
      String(lanes),
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const exited = once(child, 'exit');
  const numbers: number[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    numbers.push(Number(line));
    if (numbers.length === count) child.kill('SIGKILL');
  }
  await exited;
  assert.equal(child.signalCode, 'SIGKILL');
  return numbers;
}

async function readAll(account: AccountStore, threadId: string) {
  const all: Awaited<ReturnType<AccountStore['events']['read']>>[number][] = [];
  for (;;) {
    const page = await account.events.read({ threadId, afterSeq: all.at(-1)?.seq ?? 0 });
    if (page.length === 0) return all;
    all.push(...page);
  }
}
