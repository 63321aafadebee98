/*
 * The intent is made once, and beside the event loop while the disk is slow.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSystemClock } from '@clawdfather/kit';
import { intentBesideMs, intentSlowMs, intentsSlowMax } from '../../../src/limits.ts';
import { createMakeIntent } from '../../../src/run/spawn/make-intent.ts';

/* A disk that takes as long as it is told to, and remembers which way it was asked. */
function openDisk() {
  let nowMs = 0;
  const disk = { tookMs: 0, ways: '' };
  const makeIntent = createMakeIntent(
    { monotonicMs: () => nowMs },
    {
      inPlace: () => {
        disk.ways += 'i';
        nowMs += disk.tookMs;
      },
      beside: async () => {
        disk.ways += 'b';
      },
    },
  );
  const pass = (ms: number): void => {
    nowMs += ms;
  };
  const make = async (times: number): Promise<string> => {
    disk.ways = '';
    for (let time = 0; time < times; time += 1) assert.equal(await makeIntent('run'), true);
    return disk.ways;
  };
  return { disk, make, pass };
}

test('a directory is made for its owner alone, and one that is there is left as it is', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'intent-'));
  try {
    const makeIntent = createMakeIntent(createSystemClock());
    const runDir = join(parent, 'run');
    assert.equal(await makeIntent(runDir), true);
    assert.equal(statSync(runDir).mode & 0o777, 0o700);
    assert.equal(await makeIntent(runDir), false);
    await assert.rejects(makeIntent(join(parent, 'none', 'run')), { code: 'ENOENT' });
  } finally {
    rmSync(parent, { recursive: true });
  }
});

test('a disk that stays slow is used beside the event loop, for a while', async () => {
  const { disk, make, pass } = openDisk();
  disk.tookMs = intentSlowMs * 2;
  assert.equal(await make(intentsSlowMax + 2), `${'i'.repeat(intentsSlowMax)}bb`);
  pass(intentBesideMs);
  disk.tookMs = 0;
  assert.equal(await make(3), 'iii');
});

test('single slow ones change nothing', async () => {
  const { disk, make } = openDisk();
  for (let time = 0; time < 3 * intentsSlowMax; time += 1) {
    disk.tookMs = time % 2 === 0 ? intentSlowMs * 2 : 0;
    assert.equal(await make(1), 'i');
  }
});

test('both ways say the same about what is wrong', async () => {
  const wrong = (code: string) => Object.assign(new Error(code), { code });
  for (const code of ['EEXIST', 'ENOSPC']) {
    let nowMs = 0;
    const makeIntent = createMakeIntent(
      { monotonicMs: () => nowMs },
      {
        inPlace: () => {
          nowMs += intentSlowMs * 2;
          throw wrong(code);
        },
        beside: () => Promise.reject(wrong(code)),
      },
    );
    for (let time = 0; time < intentsSlowMax + 2; time += 1) {
      const made = makeIntent('run');
      if (code === 'EEXIST') assert.equal(await made, false);
      else await assert.rejects(made, { code });
    }
  }
});
