/*
 * How a run stands, in words that a person reads on a phone.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatAgo, formatStanding, moodOf } from '../../src/home/run-words.ts';
import type { RunJson } from '../../src/runs/run-json.ts';

type Exit = NonNullable<RunJson['exit']>;

const ended = (some: Partial<Exit>): Parameters<typeof formatStanding>[0] => ({
  state: 'exited',
  exit: { reason: 'exit', code: null, signal: null, detail: null, ...some } as Exit,
});

test('every end has its words', () => {
  const words: Readonly<Record<string, string>> = {
    'overall-timeout': 'ended by its time limit',
    'no-output-timeout': 'ended, because it wrote nothing for too long',
    'manual-cancel': 'cancelled',
    'spawn-error': 'could not be started: no such \\x1bprogram',
    'ownership-escape': 'left processes running, which were ended',
    'owner-lost': 'ended, because its owner was lost',
    'out-of-memory': 'killed by the kernel: out of memory: no such \\x1bprogram',
    'host-rebooted': 'gone: the host was rebooted',
    'container-restarted': 'gone: its container was restarted',
  };
  for (const [reason, said] of Object.entries(words)) {
    const one = ended({ reason: reason as Exit['reason'], detail: 'no such \u001bprogram' });
    assert.equal(formatStanding(one), said);
    assert.equal(moodOf(one), 'bad');
  }
  assert.equal(formatStanding(ended({ code: 0 })), 'done');
  assert.equal(moodOf(ended({ code: 0 })), 'good');
  assert.equal(formatStanding(ended({ code: 3 })), 'failed with exit code 3');
  assert.equal(formatStanding(ended({ reason: 'signal', signal: 'SIGSEGV' })), 'killed by SIGSEGV');
});

test('what has not ended says how it stands', () => {
  assert.equal(formatStanding({ state: 'running', exit: null }), 'running');
  assert.equal(moodOf({ state: 'running', exit: null }), 'live');
});

test('times are as far away as a person would say', () => {
  const nowMs = Date.UTC(2026, 0, 10);
  const ago = (ms: number): string => formatAgo(nowMs, new Date(nowMs - ms).toISOString());
  assert.equal(ago(5_000), 'just now');
  assert.equal(ago(90_000), '1 min ago');
  assert.equal(ago(3 * 3_600_000), '3 h ago');
  assert.equal(ago(30 * 3_600_000), 'yesterday');
  assert.equal(ago(72 * 3_600_000), '3 days ago');
});
