/*
 * Whose a process is, tried with real ones: each way in which a lease and the process table can disagree. The rule is one (AP2 to AP5): what
 * the lease proves is ended, with all that it has started; anything else is left alone, and the thread says why.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kill } from 'node:process';
import { type TestContext, test } from 'node:test';
import { createProcProcessTable, type RunId } from '@clawdfather/supervisor';
import {
  endTurn,
  exitWith,
  expectInitialize,
  expectNew,
  gate,
  onPrompt,
  say,
  script,
  startChild,
  type Steps,
} from '@clawdfather/testkit';
import { anAccount } from './support/memory-records.ts';
import { lives, startStranger, startTicksOf } from './support/processes.ts';
import { type RigOptions, ThreadsRig } from './support/threads-rig.ts';

const nameOf = (id: string) => ({ accountId: anAccount, id });

/* An agent that starts these and stays. */
function rigWith(t: TestContext, more: readonly Steps[] = [], options: RigOptions = {}) {
  const steps = [expectInitialize({ agentCapabilities: {} }), expectNew()];
  return new ThreadsRig(
    t,
    script([...steps, onPrompt([...more, say('here'), endTurn()])]),
    options,
  );
}

async function startAgent(t: TestContext, more: readonly Steps[] = [], options: RigOptions = {}) {
  const rig = rigWith(t, more, options);
  const gateway = await rig.gateway();
  const { id, turnId } = await rig.ask(gateway.threads, 'hello');
  await rig.until('the turn has ended', () => rig.turnEnded(id, turnId));
  const lease = await rig.runningAgent(id);
  return { rig, gateway, id, lease, pid: lease.process.rootPid };
}

const ended = (rig: ThreadsRig, id: string) =>
  rig.until('its lease has ended', () => rig.endedLeases(id).length > 0);

/* Nothing was signalled, the reason stands in the thread, and the next gateway finishes it once the lease is right again. */
async function isLeftAlone(rig: ThreadsRig, id: string, cause: string): Promise<void> {
  assert.equal(rig.status(id, 'agent-not-ended')?.payload['cause'], cause);
  assert.equal(rig.lease(id)?.state, 'closing');
}

async function finish(rig: ThreadsRig, id: string, pid: number): Promise<void> {
  const next = await rig.gateway();
  await next.threads.takeUp();
  await ended(rig, id);
  assert.equal(lives(pid), false);
  assert.equal(rig.endedLeases(id)[0]?.state, 'closed');
}

test('a pid that was reused by an unrelated process: neither is signalled', async (t) => {
  const { rig, gateway, id, lease, pid } = await startAgent(t);
  const stranger = await startStranger(t);
  rig.alterLease(id, { process: { ...lease.process, rootPid: stranger } });
  await gateway.threads.agents.closeSession(nameOf(id));
  await isLeftAlone(rig, id, 'reused');
  assert.deepEqual([lives(stranger), lives(pid)], [true, true]);
  await gateway.lose();
  rig.alterLease(id, { process: lease.process });
  await finish(rig, id, pid);
  assert.equal(lives(stranger), true);
});

test('a pid that was reused by the root of another gateway: its agent is not ours to end', async (t) => {
  const { rig, gateway, id, lease, pid } = await startAgent(t);
  const other = await startAgent(t);
  const { process } = other.lease;
  // Also with the right start time and group: by chance, or because a database was copied.
  for (const startTicks of [lease.process.startTicks, process.startTicks]) {
    const wrong = { ...lease, process: { ...process, startTicks } };
    assert.equal(gateway.threads.agents.verifyOwnedTree(wrong).verdict, 'foreign-gateway');
  }
  rig.alterLease(id, { process });
  await gateway.threads.agents.closeSession(nameOf(id));
  await isLeftAlone(rig, id, 'foreign-gateway');
  assert.deepEqual([lives(other.pid), lives(pid)], [true, true]);
  // A lease of another gateway in a shared database is not even looked at.
  const { instanceId } = other.gateway.supervisor;
  assert.equal(
    gateway.threads.agents.verifyOwnedTree({ ...lease, instanceId }).verdict,
    'foreign-gateway',
  );
});

test('the stored command is quoted for a shell and the live one is not: it is ours all the same', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'clf-threads-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const dir = join(home, 'it\'s a "dir" $HOME');
  const { rig, gateway, id, lease, pid } = await startAgent(t, [], { dir });
  const stored = gateway.supervisor.get(lease.runId)?.command ?? '';
  const live = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim();
  assert.notEqual(stored, live);
  assert.equal(gateway.threads.agents.verifyOwnedTree(lease).verdict, 'ours');
  await gateway.threads.agents.closeSession(nameOf(id));
  await ended(rig, id);
  assert.equal(lives(pid), false);
});

test('the agent exits and a process of its remains in the group: it is ended, and the lease is closed', async (t) => {
  const steps = [startChild('tool'), say('bye'), endTurn()];
  const rig = new ThreadsRig(
    t,
    script([expectInitialize(), expectNew(), onPrompt(steps), exitWith(0)]),
  );
  const { threads } = await rig.gateway();
  const { id } = await rig.ask(threads, 'hello');
  await ended(rig, id);
  const [lease] = rig.endedLeases(id);
  const tool = rig.child('tool');
  assert.equal(lease?.state, 'closed');
  assert.deepEqual([lives(lease.process?.rootPid ?? 0), lives(tool)], [false, false]);
});

test('the gateway dies after SIGTERM, which the agent ignores: SIGKILL comes without it', {
  timeout: 60_000,
}, async (t) => {
  const steps = [expectInitialize({ agentCapabilities: {} }), expectNew()];
  const stubborn = script([...steps, onPrompt([startChild('tool'), say('here'), endTurn()])], {
    ignoredSignals: ['SIGTERM', 'SIGHUP', 'SIGINT'],
    staysAtEnd: true,
  });
  const rig = new ThreadsRig(t, stubborn, { graceMs: 300 });
  const lost = Promise.withResolvers<void>();
  const gateway = await rig.gateway({
    onLost: () => lost.resolve(),
  });
  const { id, turnId } = await rig.ask(gateway.threads, 'hello');
  await rig.until('the turn has ended', () => rig.turnEnded(id, turnId));
  const { process } = await rig.runningAgent(id);
  const tool = rig.child('tool');
  gateway.loseOn('after-end');
  // It waits for what a gateway that is gone cannot say.
  const closing = gateway.threads.agents.closeSession(nameOf(id)).catch(() => undefined);
  await lost.promise;
  await gateway.lose();
  await closing;
  await rig.until('all of it is gone', () => !lives(process.rootPid) && !lives(tool));
  assert.equal(rig.lease(id)?.state, 'closing');
  const next = await rig.gateway();
  await next.threads.takeUp();
  await ended(rig, id);
  assert.equal(rig.endedLeases(id)[0]?.state, 'closed');
});

test('the process table cannot be read: nothing is done, and it is said', async (t) => {
  const { rig, gateway: first, id, pid } = await startAgent(t);
  await first.lose();
  const real = createProcProcessTable();
  const processTable = {
    ...real,
    read: (asked: number) =>
      asked === pid ? ({ kind: 'unreadable', why: 'hidden' } as const) : real.read(asked),
  };
  const blind = await rig.gateway({ processTable });
  await blind.threads.takeUp();
  await blind.threads.agents.closeSession(nameOf(id));
  await isLeftAlone(rig, id, 'unreadable');
  assert.equal(lives(pid), true);
  await blind.lose();
  await finish(rig, id, pid);
});

test('a stale lease whose process is missing: it is lost, and nothing is signalled', async (t) => {
  const { rig, gateway, id, lease, pid } = await startAgent(t);
  // Of a run that nobody knows, at a pid that somebody else has by now.
  const stranger = await startStranger(t);
  const unknown = await rig.database.records.create({
    agent: 'fake',
    cwd: rig.dir,
    title: '',
    instanceId: gateway.supervisor.instanceId,
  });
  const stored = rig.database.threads.get(unknown.thread.id);
  assert.ok(stored);
  const process = { ...lease.process, rootPid: stranger };
  stored.run = { ...lease, runId: 'nobody-knows-it' as RunId, process };
  await gateway.lose();
  // And of a run whose process ended while no gateway was there.
  kill(pid, 'SIGKILL');
  await rig.until('it is gone', () => !lives(pid));
  const next = await rig.gateway();
  await next.threads.agents.reapStartupOrphans();
  await ended(rig, unknown.thread.id);
  await ended(rig, id);
  assert.equal(rig.endedLeases(unknown.thread.id)[0]?.state, 'lost');
  assert.equal(rig.endedLeases(id)[0]?.state, 'closed');
  assert.equal(lives(stranger), true);
});

test('a startup orphan with its agent, a child of it and a grandchild: all end, whatever group they are in', async (t) => {
  const grandchild = join(mkdtempSync(join(tmpdir(), 'clf-threads-')), 'pid');
  t.after(() => rmSync(join(grandchild, '..'), { recursive: true, force: true }));
  const family = [
    startChild('child', {
      argv: [
        'sh',
        '-c',
        `sleep infinity & echo $! > ${grandchild}.new; mv ${grandchild}.new ${grandchild}; wait`,
      ],
      isApart: true,
    }),
  ];
  const { rig, gateway, id, pid } = await startAgent(t, family, { sessionId: 'a-session' });
  const child = rig.child('child');
  let deepest = 0;
  await rig.until('there is a grandchild', () => {
    deepest = Number(readIfThere(grandchild));
    return deepest > 0;
  });
  await gateway.lose();
  assert.deepEqual([lives(pid), lives(child), lives(deepest)], [true, true, true]);
  const asked: string[] = [];
  const sessions = {
    endOf: async (_account: string, session: string) => {
      asked.push(session);
      return 'closed' as const;
    },
  };
  const next = await rig.gateway({ sessions });
  await next.threads.agents.reapStartupOrphans();
  await ended(rig, id);
  assert.deepEqual(asked, ['a-session']);
  assert.deepEqual([lives(pid), lives(child), lives(deepest)], [false, false, false]);
  assert.equal(rig.endedLeases(id)[0]?.closing?.reason, 'session-over');
});

test('a startup orphan in a turn: who closed its session cancelled the turn, and nobody did where it was lost', async (t) => {
  const ends = { closed: 'cancelled', lost: 'interrupted' } as const;
  for (const [end, expected] of Object.entries(ends)) {
    const rig = rigWith(t, [gate('never')], { sessionId: 'a-session' });
    const gateway = await rig.gateway();
    const { id, turnId } = await rig.ask(gateway.threads, 'hello');
    const { process } = await rig.runningAgent(id);
    await rig.until('it has the prompt', () => rig.methods().includes('session/prompt'));
    await gateway.lose();
    const sessions = { endOf: async () => end as keyof typeof ends };
    const next = await rig.gateway({ sessions });
    await next.threads.agents.reapStartupOrphans();
    await ended(rig, id);
    assert.equal(lives(process.rootPid), false);
    assert.equal(rig.database.threads.get(id)?.turns.get(turnId)?.status, expected);
    await rig.close();
  }
});

test('reaping starts from leases: what looks like an agent of ours and has none is left alone', async (t) => {
  const rig = rigWith(t);
  const { threads, supervisor } = await rig.gateway();
  const stranger = await startStranger(t, {
    CLAWDFATHER_GATEWAY_INSTANCE_ID: supervisor.instanceId,
    CLAWDFATHER_LEASE_ID: 'a-lease-that-nobody-wrote',
  });
  await threads.agents.reapStartupOrphans();
  assert.ok(startTicksOf(stranger) > 0);
  assert.equal(lives(stranger), true);
});

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
