/*
 * Runs over HTTP, endpoint by endpoint: started, looked at, typed into, ended, put away.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cannotMakeUsers as skip, makeUnixUser } from '@clawdfather/testkit';
import { usualAccountBounds } from '../../src/accounts/account-bounds.ts';
import { callerOf } from '../fixtures/api-caller.ts';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';

const missing = 'zzzzzzzzzzzzzzzz';

test('a command that is waited for answers with its result, and its record tells the rest', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const started = await me.post('/api/v1/runs', {
    command: 'echo out; exit 3',
    yieldMs: 20_000,
    timeoutSeconds: 60,
  });
  assert.equal(started.status, 201);
  const { status, exitCode, output, runId } = started.body;
  assert.deepEqual([status, exitCode, output], ['completed', 3, 'out\n']);

  const { body } = await me.get(`/api/v1/runs/${runId}`);
  assert.equal(body.state, 'exited');
  assert.match(body.command, /echo out; exit 3/);
  assert.equal(body.cwd, rig.directory);
  assert.equal(body.requester, `device:${rig.owner.deviceId}`);
  assert.equal(body.timeoutMs, 60_000);
  assert.equal(body.traceId, started.headers.get('x-trace-id'));
  assert.deepEqual([body.exit.reason, body.exit.code, body.exit.actor], ['exit', 3, null]);
  assert.ok(body.exit.usage.maxRssBytes > 0);
  assert.ok(body.pid > 0 && Date.parse(body.startedAt) <= Date.parse(body.endedAt));

  const { body: audit } = await me.get('/api/v1/audit?action=run.start');
  assert.equal(audit.entries[0].target, runId);
});

test('without yieldMs it goes on in the background, and wait answers when it has ended', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const runId = await me.start({ command: 'read line; echo "got $line"' });
  const early = await me.get(`/api/v1/runs/${runId}/wait?timeoutMs=0`);
  assert.deepEqual([early.body.state, early.body.exit], ['running', null]);
  const ended = me.untilEnded(runId);
  const typed = await me.post(`/api/v1/runs/${runId}/input`, { data: 'hello\n' });
  assert.equal(typed.status, 200);
  assert.deepEqual(typed.body, {
    runId,
    bytes: 6,
    inputOffset: 0,
    isEof: false,
    isDelivered: true,
  });
  assert.equal((await ended).exit.code, 0);
  assert.equal(await me.outputOf(runId), 'got hello\n');
});

test('lists are pages of your own runs, newest first, by state', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const ids: string[] = [];
  for (const name of ['a', 'b', 'c']) {
    const { body } = await me.post('/api/v1/runs', { argv: ['echo', name], yieldMs: 20_000 });
    ids.unshift(body.runId);
  }
  const living = await me.start({ argv: ['sleep', '600'] });
  const all = await me.get('/api/v1/runs');
  assert.deepEqual(
    all.body.items.map((run: { runId: string }) => run.runId),
    [living, ...ids],
  );
  const page = await me.get('/api/v1/runs?state=finished&limit=2&offset=1');
  assert.deepEqual(
    page.body.items.map((run: { runId: string }) => run.runId),
    ids.slice(1, 3),
  );
  assert.deepEqual([page.body.total, page.body.limit, page.body.offset], [3, 2, 1]);
  const running = await me.get('/api/v1/runs?state=running');
  assert.deepEqual([running.body.total, running.body.items[0].runId], [1, living]);
  const other = callerOf(rig.url, rig.other.token);
  assert.equal((await other.get('/api/v1/runs')).body.total, 0);
  await me.post(`/api/v1/runs/${living}/cancel`, { graceMs: 0 });
});

test('cancel ends the whole tree and says so; a run that lives is removed only by force', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const command =
    'trap "" TERM; sleep 600 & one=$!; setsid sleep 600 & echo "pids $$ $one $! up"; wait; wait';
  const runId = await me.start({ command });
  await using events = await me.events(`/api/v1/runs/${runId}/output`);
  const pids = (await events.untilSaid('up')).match(/\d+/g) ?? [];
  assert.equal(pids.length, 3);
  const refused = await me.delete(`/api/v1/runs/${runId}`);
  assert.deepEqual([refused.status, refused.body.error.code], [409, 'still_running']);
  const { body } = await me.post(`/api/v1/runs/${runId}/cancel`, { graceMs: 0 });
  assert.deepEqual([body.isGone, body.survivors, body.reason], [true, [], 'manual-cancel']);
  const record = await me.get(`/api/v1/runs/${runId}`);
  assert.equal(record.body.exit.actor, `device:${rig.owner.deviceId}`);
  for (const pid of pids) assert.throws(() => process.kill(Number(pid), 0), { code: 'ESRCH' });
  assert.equal((await me.delete(`/api/v1/runs/${runId}`)).status, 200);
  assert.equal((await me.get(`/api/v1/runs/${runId}`)).status, 404);
  assert.equal((await me.delete(`/api/v1/runs/${runId}`)).status, 404);

  const forced = await me.start({ argv: ['sleep', '600'] });
  const removed = await me.delete(`/api/v1/runs/${forced}?force=true`);
  assert.deepEqual([removed.status, removed.body.isGone], [200, true]);
  assert.equal((await me.get(`/api/v1/runs/${forced}`)).status, 404);
  const { body: audit } = await me.get('/api/v1/audit?action=run.cancel');
  assert.equal(audit.entries[0].target, runId);
  const { body: removals } = await me.get('/api/v1/audit?action=run.remove');
  const targets = removals.entries.map((entry: { target: string }) => entry.target);
  assert.deepEqual(targets, [forced, runId], 'what was refused is not among them');
});

test('a terminal has a screen, keys, a size and signals', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const command =
    'trap "stty size" WINCH; trap "echo hup" HUP; echo ready; while :; do read -r l && echo "<$l>"; done';
  const runId = await me.start({ command, pty: true, cols: 60, rows: 10 });
  const path = `/api/v1/runs/${runId}`;
  await using events = await me.events(`${path}/output`);
  await events.untilSaid('ready');
  const keys = await me.post(`${path}/keys`, { literal: 'abc', keys: ['Enter'] });
  assert.deepEqual([keys.status, keys.body], [200, { runId, bytes: 4 }]);
  await events.untilSaid('<abc>');
  const pasted = await me.post(`${path}/keys`, { paste: 'x y\n' });
  assert.deepEqual([pasted.status, pasted.body.isBracketed], [200, false]);
  await events.untilSaid('<x y>');
  const screen = await me.get(`${path}/screen`);
  assert.deepEqual([screen.body.cols, screen.body.rows], [60, 10]);
  assert.ok(screen.body.lines.includes('<abc>'), JSON.stringify(screen.body.lines));
  const resized = await me.post(`${path}/resize`, { cols: 70, rows: 20 });
  assert.deepEqual(resized.body, { runId, cols: 70, rows: 20 });
  await events.untilSaid('20 70');
  const signalled = await me.post(`${path}/signal`, { signal: 'hup' });
  assert.deepEqual(signalled.body, { runId, signal: 'SIGHUP' });
  await events.untilSaid('hup');
  const nearly = await me.post(`${path}/signal`, { signal: 'SIGTERMM' });
  assert.deepEqual([nearly.status, nearly.body.error.code], [400, 'validation_error']);
  assert.match(nearly.body.error.hint, /SIGTERM/);
  await me.post(`${path}/cancel`, { graceMs: 0 });
  const late = await me.post(`${path}/signal`, { signal: 'hup' });
  assert.deepEqual([late.status, late.body.error.code], [409, 'not_running']);
});

test('a picture paints the screen, and the output goes on right after it', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const command = String.raw`stty -echo; printf '\033[32mgreen\033[0m\033[?2004h'; read x; printf "after"; read y`;
  const runId = await me.start({ command, pty: true, cols: 60, rows: 10 });
  const path = `/api/v1/runs/${runId}`;
  await using events = await me.events(`${path}/output`);
  await events.untilSaid('?2004h');
  const plain = await me.get(`${path}/screen`);
  assert.equal(plain.body.picture, undefined);
  const { status, body } = await me.get(`${path}/screen?picture=true`);
  assert.equal(status, 200);
  const { picture, ...screen } = body;
  assert.deepEqual(screen, plain.body);
  assert.match(picture.text, /\[32mgreen/);
  assert.match(picture.text, /\[\?2004h/);
  await me.post(`${path}/keys`, { keys: ['Enter'] });
  await using rest = await me.events(`${path}/output?cursor=${picture.cursor}`);
  assert.equal(await rest.untilSaid('after'), 'after');

  const piped = await me.start({ command: 'true' });
  const [without, withPicture] = await Promise.all([
    me.get(`/api/v1/runs/${piped}/screen`),
    me.get(`/api/v1/runs/${piped}/screen?picture=true`),
  ]);
  assert.equal(withPicture.status, without.status);
  assert.equal(withPicture.body.error.code, without.body.error.code);
});

test('what is another account’s is answered like what does not exist, on every endpoint', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const other = callerOf(rig.url, rig.other.token);
  const runId = await me.start({ argv: ['sleep', '600'] });
  const calls = (id: string) => [
    other.get(`/api/v1/runs/${id}`),
    other.get(`/api/v1/runs/${id}/output`),
    other.get(`/api/v1/runs/${id}/output`, { accept: 'text/event-stream' }),
    other.get(`/api/v1/runs/${id}/screen`),
    other.get(`/api/v1/runs/${id}/wait?timeoutMs=0`),
    other.post(`/api/v1/runs/${id}/input`, { data: 'x' }),
    other.post(`/api/v1/runs/${id}/input`, { data: 'x', offset: 7 }),
    other.post(`/api/v1/runs/${id}/keys`, { literal: 'x' }),
    other.post(`/api/v1/runs/${id}/resize`, { cols: 80, rows: 24 }),
    other.post(`/api/v1/runs/${id}/signal`, { signal: 'INT' }),
    other.post(`/api/v1/runs/${id}/cancel`),
    other.delete(`/api/v1/runs/${id}?force=true`),
  ];
  const foreign = await Promise.all(calls(runId));
  const absent = await Promise.all(calls(missing));
  for (const [index, { status, body }] of foreign.entries()) {
    assert.deepEqual([status, body.error.code], [404, 'not_found'], `call ${index}`);
    assert.deepEqual(body, absent[index]?.body);
  }
  assert.equal((await me.get(`/api/v1/runs/${runId}`)).body.state, 'running');
  // Not even to its owner by the beginning of its id.
  assert.equal((await me.get(`/api/v1/runs/${runId.slice(0, 8)}`)).status, 400);
  await me.post(`/api/v1/runs/${runId}/cancel`, { graceMs: 0 });
});

test('mistakes are refused with what is wrong, before anything starts', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  for (const [params, what] of [
    [{}, /exactly one of command and argv/],
    [{ command: 'true', workdir: '/nowhere/at/all' }, /cannot work in/],
    [{ command: 'true', env: { LD_PRELOAD: 'x' } }, /LD_PRELOAD/],
    [{ command: 'true', host: 'mars' }, /mars/],
    [{ command: 'true', yieldMs: 60_000 }, /25000 over HTTP/],
    [{ command: 'true', colour: 'red' }, /colour/],
  ] as const) {
    const { status, body } = await me.post('/api/v1/runs', params);
    assert.deepEqual([status, body.error.code], [400, 'validation_error'], JSON.stringify(body));
    assert.match(body.error.message, what);
  }
  assert.equal((await me.get('/api/v1/runs')).body.total, 0);
  const failed = await me.post('/api/v1/runs', { argv: ['no-such-program'], yieldMs: 5_000 });
  assert.deepEqual([failed.body.status, failed.body.kind], ['failed', 'command-not-found']);
  const page = await me.get(`/api/v1/runs/${failed.body.runId}/output`);
  assert.deepEqual([page.body.text, page.body.hasEnded], ['', true]);
});

test('an account has so many live runs', { skip }, async () => {
  await using user = await makeUnixUser();
  await using rig = await openTestGateway({
    config: { bounds: { ...usualAccountBounds, liveRunsMax: 2 } },
    otherRunsAs: user,
  });
  const me = callerOf(rig.url, rig.owner.token);
  const first = await me.start({ argv: ['sleep', '600'] });
  const second = await me.start({ argv: ['sleep', '600'] });
  const third = await me.post('/api/v1/runs', { argv: ['sleep', '600'] });
  assert.deepEqual([third.status, third.body.error.code], [409, 'run_limit_reached']);
  const other = callerOf(rig.url, rig.other.token);
  await other.post(`/api/v1/runs/${await other.start({ argv: ['sleep', '600'] })}/cancel`);
  await me.post(`/api/v1/runs/${first}/cancel`, { graceMs: 0 });
  const next = await me.start({ argv: ['sleep', '600'] });
  for (const runId of [second, next]) await me.post(`/api/v1/runs/${runId}/cancel`, { graceMs: 0 });
});
