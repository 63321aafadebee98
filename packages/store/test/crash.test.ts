/*
 * Killed in the middle of commits, again and again: nothing that was acknowledged is lost, and nothing is there twice.
 *
 * Two lines of gateways write at the same time, each line into an account of its own. Whoever comes after a killed one begins
 * with what that one may have sent: some of it was done and never acknowledged, and must not happen again.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Random } from '@clawdfather/kit';
import { checkBackup } from '@clawdfather/store';
import { createSeededRandom } from '@clawdfather/testkit';
import { type Backend, onBoth } from './backends.ts';
import { isGapless, readNumbers } from './numbered-writes.ts';
import { createAccount } from './world.ts';

const writer = fileURLToPath(new URL('fixtures/writer.ts', import.meta.url));
/* Starting Node is what takes the time, a quarter of a second each; STORE_KILLS=100 for a long run. */
const kills = Number(process.env['STORE_KILLS'] ?? 5);
const linesOfGateways = 2;
const lanes = 8;

onBoth('kill -9 of writers loses nothing acknowledged and doubles nothing', async (backend) => {
  const store = await backend.open();
  const accountIds: string[] = [];
  for (let line = 0; line < linesOfGateways; line += 1) {
    accountIds.push((await createAccount(store, `line-${line}`)).accountId);
  }

  const heard = await Promise.all(
    accountIds.map((accountId, index) =>
      writeAndKill(backend, accountId, createSeededRandom(index + 1)),
    ),
  );
  for (const [index, accountId] of accountIds.entries()) {
    const { seqs, numbers } = await readNumbers(store, accountId);
    assert.ok(isGapless(seqs));
    const known = new Set(numbers);
    assert.equal(known.size, numbers.length, 'nothing twice');
    const { acknowledged = new Set<number>(), repeated = 0 } = heard[index] ?? {};
    assert.ok(acknowledged.size > 0 && repeated > 0, 'it was sent, and sent again');
    assert.deepEqual(
      [...acknowledged].filter((number) => !known.has(number)),
      [],
    );
  }
  if (backend.location.kind === 'sqlite') {
    assert.deepEqual(checkBackup(backend.location.path).problems, []);
  }
});

interface Heard {
  readonly acknowledged: ReadonlySet<number>;
  /** Answers that said: that was done before. */
  readonly repeated: number;
}

async function writeAndKill(backend: Backend, accountId: string, random: Random): Promise<Heard> {
  const acknowledged = new Set<number>();
  let repeated = 0;
  for (let cycle = 0; cycle < kills; cycle += 1) {
    const first = Math.max(0, ...acknowledged) - 2 * lanes;
    const [chance = 0] = random.bytes(1);
    const answers = await writeUntilKilled(
      backend,
      { accountId, first },
      2 * lanes + (chance % 32),
    );
    for (const [number = '', outcome] of answers) {
      acknowledged.add(Number(number));
      if (outcome === 'repeated') repeated += 1;
    }
  }
  return { acknowledged, repeated };
}

/** What it had acknowledged when it was killed, after so many. */
async function writeUntilKilled(
  { location, directory }: Backend,
  { accountId, first }: { readonly accountId: string; readonly first: number },
  count: number,
): Promise<readonly (readonly string[])[]> {
  const from = String(Math.max(0, first));
  const child = spawn(
    process.execPath,
    [
      '--conditions=@clawdfather/source',
      writer,
      JSON.stringify(location),
      accountId,
      from,
      String(lanes),
    ],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, NODE_COMPILE_CACHE: join(directory, 'compiled') },
    },
  );
  const exited = once(child, 'exit');
  const answers: (readonly string[])[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    answers.push(line.split(' '));
    if (answers.length === count) child.kill('SIGKILL');
  }
  await exited;
  assert.equal(child.signalCode, 'SIGKILL');
  return answers;
}
