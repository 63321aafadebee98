/*
 * From what a caller asked for to what the shim is told.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planSpawn } from '../../../src/run/spawn/plan-spawn.ts';
import type { ChildInput, RunLimits } from '../../../src/spawn-input.ts';
import type { RunId } from '../../../src/types.ts';

const input: ChildInput = {
  mode: 'child',
  argv: ['true'],
  sessionId: 'session',
  backendId: 'backend',
  cwd: '/',
  env: {},
  overallTimeoutMs: undefined,
};

const requestOf = (change: Partial<ChildInput>) =>
  planSpawn(
    { ...input, ...change },
    {
      runId: '3k9qv7hd2m5x8abc' as RunId,
      ratesDir: '/state/rates',
      runDir: '/runs/3k9qv7hd2m5x8abc',
      cookie: new Uint8Array(16),
      leaseId: 'lease',
      owner: { instance: 'instance', generation: 1, pid: 1, startTicks: 1 },
      nowMs: 1,
      cgroupParent: undefined,
      umask: undefined,
    },
  ).request;

const rlimitsOf = (limits: RunLimits) => requestOf({ limits }).rlimits;

test('one number is the soft and the hard limit; cpu time leaves a second for SIGXCPU', () => {
  assert.deepEqual(rlimitsOf({ openFiles: 64, cpuSeconds: 2, fileBytes: 4_096 }), [
    { resource: 7, soft: 64, hard: 64 },
    { resource: 0, soft: 2, hard: 3 },
    { resource: 1, soft: 4_096, hard: 4_096 },
  ]);
  assert.deepEqual(rlimitsOf({}), []);
});

test("S3: a caller's own limits of open files are passed on as the two they are", () => {
  assert.deepEqual(rlimitsOf({ openFiles: { soft: 256, hard: 4_096 } }), [
    { resource: 7, soft: 256, hard: 4_096 },
  ]);
});

test('a limit that is none is refused by its name', () => {
  for (const openFiles of [0, 1.5, { soft: 2, hard: 1 }, { soft: 0, hard: 1 }]) {
    assert.throws(() => rlimitsOf({ openFiles }), {
      code: 'input-invalid',
      message: /limits\.openFiles/,
    });
  }
  assert.throws(() => rlimitsOf({ cpuSeconds: -1 }), /limits\.cpuSeconds/);
});

const grant = { path: '/srv', access: 'read', isOptional: false } as const;

test('what a command is confined to is passed on as it is', () => {
  const confine = { grants: [grant] };
  assert.deepEqual(requestOf({ confine }).confine, confine);
  assert.deepEqual(requestOf({ confine: { grants: [] } }).confine, { grants: [] });
  assert.equal(requestOf({}).confine, undefined);
});

test('grants on relative paths, with a NUL, too long or too many are refused before anything is written', () => {
  const wrong = [
    [{ ...grant, path: 'srv' }],
    [{ ...grant, path: '/s\0rv' }],
    [{ ...grant, path: `/${'x'.repeat(4_095)}` }],
    Array.from({ length: 65 }, () => grant),
  ];
  for (const grants of wrong) {
    assert.throws(() => requestOf({ confine: { grants } }), {
      code: 'input-invalid',
      message: /^confine /,
    });
  }
});
