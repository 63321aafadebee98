/*
 * The verdict over every combination of evidence: `ours` exactly where nothing is missing and nothing disagrees.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type RootReading, type TreeEvidence, verifyTree } from '@clawdfather/agents';

const process = { rootPid: 70, processGroupId: 70, startTicks: 500, bootId: 'boot' };
const lease = {
  leaseId: 'lease',
  instanceId: 'here',
  commandHash: 'hash',
  programRoot: '/opt/agent',
  process,
  endedAtMs: undefined as number | undefined,
};
const ours = { leaseId: 'lease', instanceId: 'here', commandHash: 'hash' };

type Found = Extract<RootReading, { kind: 'found' }>;

const programs: readonly Found['program'][] = [
  'unreadable',
  { value: '/opt/agent/bin/node' },
  { value: '/opt/agent-of-another/bin' },
  { value: '/opt/agent' },
  { value: '/usr/bin/sh' },
];

const variables: readonly Found['variables'][] = [
  'unreadable',
  { value: {} },
  { value: ours },
  { value: { ...ours, leaseId: 'another' } },
  { value: { ...ours, instanceId: 'elsewhere' } },
  { value: { ...ours, commandHash: 'another' } },
  { value: { instanceId: 'here' } },
  { value: { leaseId: 'lease' } },
];

function* roots(): Generator<RootReading> {
  yield { kind: 'absent' };
  yield { kind: 'unreadable', why: 'hidden' };
  for (const startTicks of [500, 501]) {
    for (const processGroupId of [70, 71]) {
      for (const isZombie of [false, true]) {
        for (const program of programs) {
          for (const seen of variables) {
            const facts = { startTicks, processGroupId, isZombie, program, variables: seen };
            yield { kind: 'found', ...facts };
          }
        }
      }
    }
  }
}

type GivenLease = Parameters<typeof verifyTree>[0];

function* everything(): Generator<{ lease: GivenLease; evidence: TreeEvidence }> {
  for (const instanceId of ['here', 'elsewhere']) {
    for (const endedAtMs of [undefined, 7]) {
      for (const recorded of [process, undefined]) {
        for (const bootId of ['boot', 'another', undefined]) {
          for (const isSameNamespace of [true, false]) {
            for (const root of roots()) {
              yield {
                lease: { ...lease, endedAtMs, process: recorded },
                evidence: { instanceId, bootId, isSameNamespace, root },
              };
            }
          }
        }
      }
    }
  }
}

/* Written the other way round: what has to hold, without an order of questions. */
function mayEnd(given: GivenLease, evidence: TreeEvidence): boolean {
  const { root } = evidence;
  if (root.kind !== 'found') return false;
  const said = root.variables === 'unreadable' ? undefined : root.variables.value;
  const agrees = (mine: string, theirs: string | undefined): boolean =>
    theirs === undefined || theirs === mine;
  const isProgram = root.program === 'unreadable' || root.program.value === '/opt/agent/bin/node';
  return [
    evidence.instanceId === 'here',
    given.endedAtMs === undefined,
    given.process !== undefined,
    evidence.bootId === 'boot',
    evidence.isSameNamespace,
    root.startTicks === 500,
    root.processGroupId === 70,
    !root.isZombie,
    agrees('lease', said?.leaseId),
    agrees('here', said?.instanceId),
    agrees('hash', said?.commandHash),
    said?.leaseId !== undefined || isProgram,
  ].every(Boolean);
}

test('of all combinations of evidence, ours is what matches in everything; the others say why not', () => {
  const counts = new Map<string, number>();
  for (const { lease: given, evidence } of everything()) {
    const verdict = verifyTree(given, evidence);
    counts.set(verdict.verdict, (counts.get(verdict.verdict) ?? 0) + 1);
    const isOurs = verdict.verdict === 'ours';
    assert.equal(isOurs, mayEnd(given, evidence), JSON.stringify({ given, evidence, verdict }));
    if (verdict.verdict !== 'ours') assert.notEqual(verdict.why, '');
  }
  const verdicts = ['ambiguous', 'foreign-gateway', 'missing', 'ours', 'reused', 'unreadable'];
  assert.deepEqual([...counts.keys()].toSorted(), verdicts);
});

test('each doubt has its own name', () => {
  const root: Found = {
    kind: 'found',
    startTicks: 500,
    processGroupId: 70,
    isZombie: false,
    program: { value: '/opt/agent/bin/node' },
    variables: { value: ours },
  };
  const evidence = { instanceId: 'here', bootId: 'boot', isSameNamespace: true, root };
  const verdictOf = (change: Partial<Found>): string =>
    verifyTree(lease, { ...evidence, root: { ...root, ...change } }).verdict;
  assert.equal(verdictOf({}), 'ours');
  assert.equal(verdictOf({ startTicks: 501 }), 'reused');
  const elsewhere = { value: { ...ours, instanceId: 'elsewhere' } };
  assert.equal(verdictOf({ startTicks: 501, variables: elsewhere }), 'foreign-gateway');
  assert.equal(verdictOf({ variables: elsewhere }), 'foreign-gateway');
  assert.equal(verdictOf({ processGroupId: 71 }), 'ambiguous');
  assert.equal(verdictOf({ isZombie: true }), 'missing');
  const rebooted = { ...evidence, bootId: 'another' };
  assert.equal(verifyTree(lease, rebooted).verdict, 'missing');
  assert.equal(
    verifyTree({ ...lease, instanceId: 'elsewhere' }, evidence).verdict,
    'foreign-gateway',
  );
  assert.equal(verifyTree({ ...lease, process: undefined }, evidence).verdict, 'ambiguous');
});
