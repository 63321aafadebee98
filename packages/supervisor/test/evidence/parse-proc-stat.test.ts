/*
 * A process may call itself anything; its stat line is read right all the same.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { pid, ppid } from 'node:process';
import { test } from 'node:test';
import { createSeededRandom } from '@clawdfather/testkit';
import { parseProcStat } from '../../src/evidence/parse-proc-stat.ts';

function line(comm: string, state = 'S'): string {
  const numbers = [1, 500, 500, 0, -1, 4_194_560, 9, 0, 0, 0, 1, 2, 0, 0, 20, 0, 1, 0, 987_654, 1];
  return `321 (${comm}) ${state} ${numbers.join(' ')} 18446744073709551615 0 0\n`;
}

test('names with spaces, parentheses and newlines do not shift the fields', () => {
  const names = ['sh', 'a b', ')', '(', ') R 1 1 (', 'x) S 7 7 7 (y', 'two\nlines', '', ' ', ')))'];
  for (const comm of names) {
    assert.deepEqual(parseProcStat(line(comm)), {
      pid: 321,
      comm,
      state: 'S',
      parentPid: 1,
      processGroupId: 500,
      kernelSessionId: 500,
      startTicks: 987_654,
    });
  }
});

test('any name at all gives the same numbers (seeded)', () => {
  const random = createSeededRandom(5);
  for (let count = 0; count < 500; count += 1) {
    const [length = 0] = random.bytes(1);
    const comm = Buffer.from(random.bytes(length % 16))
      .toString('latin1')
      .replaceAll('\0', ')');
    const stat = parseProcStat(line(comm));
    assert.equal(stat?.startTicks, 987_654);
    assert.equal(stat?.comm, comm);
  }
});

test('what is not a whole line is nothing', () => {
  const whole = line('sh');
  for (const text of ['', 'x', '321', '321 (sh', '321 (sh)', '321 (sh) S 1 2', 'a (b) c d']) {
    assert.equal(parseProcStat(text), undefined);
  }
  assert.equal(parseProcStat(whole.slice(0, whole.indexOf('987_654'.slice(0, 3)))), undefined);
});

test('our own line says who we are', () => {
  const stat = parseProcStat(readFileSync('/proc/self/stat', 'utf8'));
  assert.equal(stat?.pid, pid);
  assert.equal(stat?.parentPid, ppid);
  assert.ok((stat?.startTicks ?? 0) > 0);
});
