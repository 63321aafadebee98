/*
 * Starts that do not go smoothly: a slow machine, a terminal that is refused, a directory that goes away.
 */
import assert from 'node:assert/strict';
import { rmdirSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type RunRecord, type Supervisor, SupervisorError } from '@clawdfather/supervisor';
import type { HostPort } from '@clawdfather/supervisor';
import { createTools } from '../../src/index.ts';
import {
  allowAll,
  clock,
  everybodyAsUs,
  openToolsRig,
  type ToolsRig,
} from '../support/tools-rig.ts';
import { createSystemRandom, silentLog } from '@clawdfather/kit';

function toolsOver(rig: ToolsRig, supervisor: Supervisor) {
  return createTools({
    supervisor,
    gatekeeper: allowAll,
    clock,
    random: createSystemRandom(),
    log: silentLog,
    users: everybodyAsUs,
    baseEnvironment: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' },
    homeDirectory: rig.scratchDir,
  });
}

test('a run that has not started when its time is up is running without a pid, and can be polled', async (t) => {
  const rig = await openToolsRig(t);
  const gate = Promise.withResolvers<void>();
  const tools = toolsOver(rig, {
    ...rig.supervisor,
    spawn: async (input) => {
      await gate.promise;
      return rig.supervisor.spawn(input);
    },
  });
  const result = await tools.exec({ command: 'echo late', yieldMs: 10 }, rig.call());
  assert.ok(result.status === 'running' && result.pid === undefined, JSON.stringify(result));
  const params = { action: 'poll', runId: result.runId, waitMs: 10 } as const;
  const early = await tools.process(params, rig.call());
  assert.ok(early.action === 'poll' && early.status === 'running' && early.pid === undefined);
  const stranger = tools.process(params, rig.call({ account: 'stranger' }));
  await assert.rejects(stranger, { code: 'unknown-run' });
  const polled = tools.process({ ...params, waitMs: 30_000 }, rig.call());
  gate.resolve();
  await polled;
  assert.equal((await rig.untilEnded(result.runId)).output, 'late\n');
  await tools.close();
});

test('an abort while it is being started ends it once it has', async (t) => {
  const rig = await openToolsRig(t);
  const gate = Promise.withResolvers<void>();
  const asking = Promise.withResolvers<void>();
  const tools = toolsOver(rig, {
    ...rig.supervisor,
    spawn: async (input) => {
      asking.resolve();
      await gate.promise;
      return rig.supervisor.spawn(input);
    },
  });
  const aborter = new AbortController();
  const call = rig.call({ signal: aborter.signal, requester: 'mcp:someone' });
  const asked = tools.exec({ command: 'sleep 300', background: true }, call);
  await asking.promise;
  aborter.abort(new Error('gone'));
  await assert.rejects(asked, /gone/);
  gate.resolve();
  await rig.until(
    () => rig.supervisor.list()[0]?.exit?.actor === 'mcp:someone',
    'it was not ended',
  );
  await tools.close();
});

test('a terminal that is refused at the start gives pipes, a note, and a run that can be polled', async (t) => {
  const rig = await openToolsRig(t);
  const refused = new Set<string>();
  const { supervisor } = rig;
  const tools = toolsOver(rig, {
    ...supervisor,
    spawn: async (input) => {
      if (input.mode === 'child') return supervisor.spawn(input);
      refused.add(input.runId ?? '');
      throw new SupervisorError('spawn-failed', 'no terminal', {
        detail: { stage: 'pty', errno: 28 },
      });
    },
    get: (runId) =>
      refused.has(runId)
        ? ({ exit: { failure: { stage: 'pty', errno: 28 } } } as RunRecord)
        : supervisor.get(runId),
    remove: async () => {},
  });
  const result = await tools.exec({ command: 'tty; true', pty: true }, rig.call());
  assert.ok(result.status === 'completed', JSON.stringify(result));
  assert.match(result.output, /not a tty/);
  assert.match(result.notes.join(), /pipes/);
  assert.ok(!refused.has(result.runId), 'an id is never used twice');
  await tools.close();
});

test('a directory that goes away after it was checked is the same error, and leaves no run to be seen', async (t) => {
  const rig = await openToolsRig(t);
  const workdir = join(rig.scratchDir, 'short-lived');
  mkdirSync(workdir);
  const tools = toolsOver(rig, {
    ...rig.supervisor,
    spawn: (input) => {
      rmdirSync(workdir);
      return rig.supervisor.spawn(input);
    },
  });
  await assert.rejects(tools.exec({ command: 'true', workdir }, rig.call()), {
    code: 'workdir-unusable',
  });
  assert.deepEqual((await rig.process({ action: 'list' })).runs, []);
  await tools.close();
});

const slow: HostPort = {
  id: 'slow',
  usualTimeoutSeconds: 120,
  searchPath: '/usr/bin:/bin',
  homeDirectory: '/nonexistent/mount',
  userOf: async () => undefined,
  findDirectory: (_path, signal) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('given up')));
    }),
  plan: async ({ cwd }) => ({ mode: 'child', argv: ['true'], cwd, env: {} }),
};

test('a host is an account’s own: to others it is as unknown as one that is not there', async (t) => {
  const rig = await openToolsRig(t, {
    remoteHosts: {
      find: async (account, idOrLabel) =>
        account === 'theirs' && idOrLabel === slow.id ? slow : undefined,
      idsOf: async (account) => (account === 'theirs' ? [slow.id] : []),
    },
  });
  for (const host of [slow.id, 'none']) {
    await assert.rejects(rig.exec({ command: 'true', host }), {
      code: 'unknown-host',
      detail: { known: ['local'] },
    });
  }
  assert.deepEqual((await rig.process({ action: 'list' })).runs, []);
});

test('a run on another machine has the name of its host, and nothing that binds only its client', async (t) => {
  const web: HostPort = {
    ...slow,
    id: 'id-of-web',
    name: 'web',
    homeDirectory: '.',
    findDirectory: async (path) => ({ kind: 'found', path }),
    plan: async () => ({ mode: 'child', argv: ['true'], cwd: '/', env: {} }),
  };
  const remoteHosts = { find: async () => web, idsOf: async () => [web.id] };
  const rig = await openToolsRig(t, { remoteHosts });
  const done = await rig.exec({ command: 'true', host: 'web' });
  assert.ok(done.status === 'completed' && done.cwd === '~', JSON.stringify(done));
  await rig.exec({ command: 'true', host: 'web', workdir: 'below' });
  const { runs } = await rig.process({ action: 'list' });
  assert.deepEqual(
    runs.map(({ host, cwd }) => [host, cwd]),
    [
      ['web', '~/below'],
      ['web', '~'],
    ],
  );
  const [record] = rig.supervisor.list();
  assert.deepEqual([record?.labels['host'], record?.labels['hostName']], ['id-of-web', 'web']);
  for (const extras of [
    { shield: true },
    { tools: true },
    { nice: 3 },
    { limits: { openFiles: 9 } },
  ]) {
    const asked = rig.tools.exec({ command: 'true', host: 'web' }, { ...rig.call(), extras });
    await assert.rejects(asked, { code: 'params-invalid' }, Object.keys(extras).join());
  }
});

test('a directory that does not answer keeps nobody: the start finds out', async (t) => {
  const rig = await openToolsRig(t, {
    remoteHosts: {
      find: async (_account, idOrLabel) =>
        ['slow', 'a slow one'].includes(idOrLabel) ? slow : undefined,
      idsOf: async () => [slow.id],
    },
  });
  const result = await rig.exec({ command: 'true', host: 'a slow one', yieldMs: 10 });
  assert.ok(result.status === 'running' && result.pid === undefined, JSON.stringify(result));
  const end = await rig.untilEnded(result.runId);
  assert.ok(end.status === 'failed' && end.kind === 'spawn-error');
  assert.match(end.message, /cannot work in "\/nonexistent\/mount": it does not exist/);
  const [record] = rig.supervisor.list();
  assert.equal(record?.deadlines.overallMs, 120_000, 'a host has a usual limit of its own');
});

test('runs of one process can be read, typed into and ended from another', async (t) => {
  const rig = await openToolsRig(t);
  const { createSupervisor } = await import('@clawdfather/supervisor');
  const other = await createSupervisor({ stateDir: rig.stateDir });
  const tools = toolsOver(rig, other);
  const { runId, cursor } = await rig.start({
    command: 'read x; echo "got $x"; sleep 300',
    pty: true,
  });
  const polled = tools.process({ action: 'poll', runId, cursor, waitMs: 30_000 }, rig.call());
  await tools.process({ action: 'write', runId, data: 'hello\r' }, rig.call());
  const first = await polled;
  assert.ok(first.action === 'poll' && first.status === 'running');
  await rig.untilSaid(runId, 'got hello');
  const screen = await tools.process({ action: 'screen', runId }, rig.call());
  assert.ok(screen.action === 'screen' && screen.lines.includes('got hello'));
  const killed = await tools.process({ action: 'kill', runId }, rig.call({ requester: 'other' }));
  assert.ok(killed.action === 'kill' && killed.isGone && killed.reason === 'manual-cancel');
  const end = await rig.untilEnded(runId);
  assert.ok(end.status === 'failed' && end.message.includes('other'));
  await tools.close();
  await other.close();
});

test('a flood can be polled: every answer is small and comes soon', async (t) => {
  const rig = await openToolsRig(t);
  const { runId } = await rig.start({ command: 'yes' });
  let cursor: string | undefined;
  for (let count = 0; count < 3; count += 1) {
    const polled = await rig.process<'poll'>({
      action: 'poll',
      runId,
      waitMs: 30_000,
      ...(cursor === undefined ? {} : { cursor }),
    });
    assert.ok(polled.status === 'running');
    assert.ok(polled.output.length > 0 && polled.output.length <= 200_000);
    cursor = polled.cursor;
  }
  await rig.process({ action: 'remove', runId });
});
