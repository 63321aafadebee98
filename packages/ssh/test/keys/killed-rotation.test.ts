/*
 * A rotation of the master key, killed at each of its system calls in turn: every key of before is there and opens what it wrapped, and
 * the next rotation works.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { test } from 'node:test';
import { createSystemRandom } from '@clawdfather/kit';
import { createMasterKms, openMasterKeys, rotateMasterKey } from '@clawdfather/ssh';
import { openSecret, sealSecret } from '../../src/keys/envelope.ts';

const random = createSystemRandom();
const place = { table: 't', rowId: 'r', accountId: 'a', version: 1 };
/* What a rotation changes the disk with, and what it reads it with. */
const calls = ['openat', 'write', 'pwrite64', 'fsync', 'link', 'linkat', 'unlink', 'close'];
/* A rotation makes fewer of each. */
const countMax = 60;

const noStrace =
  process.getuid?.() === 0 && spawnSync('strace', ['-V']).status === 0
    ? false
    : 'needs root and strace, to stop a process at a call';

test('a rotation that is killed at any of its calls leaves every key readable', {
  skip: noStrace,
  timeout: 300_000,
}, async () => {
  const parent = await mkdtemp(join(tmpdir(), 'clf-killed-'));
  const directory = join(parent, 'keys');
  try {
    const sealed: string[] = [];
    const seal = async (): Promise<void> => {
      const kms = createMasterKms(await openMasterKeys(directory, random), random);
      sealed.push(await sealSecret({ kms, random }, place, Buffer.from('secret')));
    };
    await seal();
    let kills = 0;
    for (const call of calls) {
      for (let count = 1; count <= countMax; count += 1) {
        const before = (await openMasterKeys(directory, random)).map(({ id }) => id);
        const isKilled = await rotateAndKill(directory, { call, count });
        const keys = await openMasterKeys(directory, random);
        const ids = keys.map(({ id }) => id);
        assert.deepEqual(ids.slice(-before.length), before, `${call} ${count}`);
        assert.ok(ids.length - before.length <= 1, 'one more, or none');
        const kms = createMasterKms(keys, random);
        for (const text of sealed) {
          assert.equal((await openSecret({ kms }, place, text)).toString(), 'secret');
        }
        if (!isKilled) break;
        kills += 1;
        await seal();
      }
    }
    // It was killed, before its first write and after its last.
    assert.ok(kills > 10, `${kills}`);
    await rotateMasterKey(directory, random);
    const names = await readdir(directory);
    assert.deepEqual(
      names.filter((name) => !name.endsWith('.key')),
      [],
      'no draft is left',
    );
  } finally {
    await rm(parent, { recursive: true });
  }
});

/* False when it came to its end: it makes no more such calls. */
async function rotateAndKill(
  directory: string,
  { call, count }: { readonly call: string; readonly count: number },
): Promise<boolean> {
  const program = join(import.meta.dirname, '../fixtures/rotate-once.ts');
  const child = spawn(process.execPath, [...process.execArgv, program, directory], {
    stdio: ['pipe', 'pipe', 'inherit'],
    // strace counts the calls of each thread for itself.
    env: { ...process.env, UV_THREADPOOL_SIZE: '1' },
  });
  const gone = once(child, 'close');
  await once(child.stdout, 'data');
  const inject = `inject=${call}:signal=KILL:when=${count}`;
  const tracer = spawn(
    'strace',
    ['-f', '-p', `${child.pid}`, '-e', `trace=${call}`, '-e', inject],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  const traced = once(tracer, 'close');
  await hears(tracer.stderr, 'attached');
  child.stdin.end('go\n');
  await gone;
  await traced;
  return child.signalCode === 'SIGKILL';
}

/* The rest is read too, or strace would end. */
function hears(stream: Readable, text: string): Promise<void> {
  let heard = '';
  return new Promise((resolve, reject) => {
    stream.on('data', (chunk: Buffer) => {
      heard += chunk.toString();
      if (heard.includes(text)) resolve();
    });
    stream.once('close', () => reject(new Error(heard)));
  });
}
