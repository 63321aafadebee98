/*
 * `clf mcp` as an agent uses it: the protocol's own client, real programs, real ends.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createMcpRig, eras, isGone } from '../support/mcp-rig.ts';

const menuPath = fileURLToPath(new URL('../fixtures/menu.mjs', import.meta.url));

const serverProgram = `
  const server = require('node:http').createServer((request, response) => {
    console.log('asked for ' + request.url);
    response.end('served');
  });
  server.listen(0, '127.0.0.1', () => console.log('port ' + server.address().port));
`;

for (const era of eras) {
  test(`${era}: a whole session: a server in the background, a menu driven by keys, a tree that is ended`, async (t) => {
    const { connect, cli } = createMcpRig(t);
    const agent = await connect({ era });

    const web = await agent.call('exec', {
      argv: [process.execPath, '-e', serverProgram],
      background: true,
    });
    assert.equal(web.data['status'], 'running');
    const webId = String(web.data['runId']);
    const listening = await agent.pollFor(webId, /port \d+\n/);
    const port = /port (\d+)/.exec(String(listening.data['output']))?.[1];
    assert.equal(await (await fetch(`http://127.0.0.1:${port}/page`)).text(), 'served');
    const asked = await agent.pollFor(webId, /asked for/, String(listening.data['cursor']));
    assert.equal(asked.data['output'], 'asked for /page\n');

    const menu = await agent.call('exec', {
      argv: [process.execPath, menuPath],
      pty: true,
      cols: 40,
      rows: 10,
      background: true,
    });
    const menuId = String(menu.data['runId']);
    await agent.pollFor(menuId, /plums/);
    const screen = await agent.call('process', { action: 'screen', runId: menuId });
    assert.deepEqual((screen.data['lines'] as string[]).slice(0, 4), [
      'What is it to be?',
      '> apples',
      '  pears',
      '  plums',
    ]);
    assert.match(screen.text, /^40×10, cursor in row \d+, column \d+ \(from 0, hidden\)/);
    await agent.call('process', {
      action: 'send-keys',
      runId: menuId,
      keys: ['Down', 'Down', 'Up', 'Enter'],
    });
    const chosen = await agent.pollFor(menuId, /chosen: pears/);
    assert.ok(chosen);

    const tree = await agent.call('exec', {
      command: 'sleep 1000 & echo pid $!; setsid sleep 1000 & echo pid $!; wait',
      background: true,
    });
    const treeId = String(tree.data['runId']);
    const said = await agent.pollFor(treeId, /pid \d+\s+pid \d+/);
    const pids = [...String(said.data['output']).matchAll(/pid (\d+)/g)].map((match) =>
      Number(match[1]),
    );
    for (const runId of [treeId, webId]) {
      const killed = await agent.call('process', { action: 'kill', runId });
      assert.equal(killed.data['isGone'], true, killed.text);
    }
    assert.deepEqual(pids.map(isGone), [true, true]);
    await assert.rejects(fetch(`http://127.0.0.1:${port}/page`));

    const list = await agent.call('process', { action: 'list' });
    const states = (list.data['runs'] as { state: string }[]).map(({ state }) => state);
    assert.deepEqual(states, ['exited', 'exited', 'exited']);
    assert.deepEqual(await cli.live(), []);
  });

  test(`${era}: after kill -9 of the server a new one goes on with the same run and cursor`, async (t) => {
    const { connect, cli } = createMcpRig(t);
    const first = await connect({ era });
    const run = await first.call('exec', {
      command: 'while read word; do echo "heard $word"; done; echo bye',
      background: true,
    });
    const runId = String(run.data['runId']);
    await first.call('process', { action: 'write', runId, data: 'one\n' });
    const one = await first.pollFor(runId, /heard one\n/);
    // In flight when it dies, and the run with it in the foreground.
    const waiting = first.call('exec', { command: 'echo alive; sleep 1000', yieldMs: 120_000 });
    const lost = assert.rejects(waiting);
    while ((await cli.live()).length < 2);
    process.kill(first.pid, 'SIGKILL');
    await lost;

    const second = await connect({ era });
    await second.call('process', { action: 'write', runId, data: 'two\n', eof: true });
    const two = await second.pollFor(runId, /bye\n/, String(one.data['cursor']));
    assert.equal(two.data['output'], 'heard two\nbye\n');
    const end = await second.call('process', {
      action: 'poll',
      runId,
      cursor: two.data['cursor'],
      waitMs: 30_000,
    });
    assert.equal(end.data['status'], 'completed');
    assert.equal(end.data['exitCode'], 0);
    const everything = await second.call('process', { action: 'log', runId });
    assert.equal(everything.data['text'], 'heard one\nheard two\nbye');

    const [other] = (await cli.live()).filter((id) => id !== runId);
    const alive = await second.pollFor(String(other), /alive/);
    assert.equal(alive.data['status'], 'running');
    await second.call('process', { action: 'kill', runId: other });
  });
}

test('a client that negotiates finds the newest revision', async (t) => {
  const { connect } = createMcpRig(t);
  const agent = await connect({ era: 'auto' });
  assert.equal(agent.client.getNegotiatedProtocolVersion(), '2026-07-28');
  const { data } = await agent.call('exec', { command: 'echo hi' });
  assert.equal(data['output'], 'hi\n');
});

test('exec comes back at yieldMs, and a waiting poll at the very end of the run', async (t) => {
  const { connect } = createMcpRig(t);
  const agent = await connect();
  const run = await agent.call('exec', { command: 'echo ready; read word; exit 7', yieldMs: 50 });
  assert.equal(run.data['status'], 'running');
  const runId = String(run.data['runId']);
  const ready = await agent.pollFor(runId, /ready/);
  const poll = agent.call('process', {
    action: 'poll',
    runId,
    cursor: ready.data['cursor'],
    waitMs: 30_000,
  });
  await agent.call('process', { action: 'write', runId, data: '\n' });
  const { data } = await poll;
  assert.deepEqual([data['status'], data['exitCode'], data['output']], ['completed', 7, '']);
});

test('progress tells what the command says, and cancelling ends it', async (t) => {
  const { connect } = createMcpRig(t);
  const agent = await connect();
  const controller = new AbortController();
  const first = Promise.withResolvers<string>();
  const call = agent.call(
    'exec',
    { command: 'echo step one; sleep 1000', yieldMs: 120_000 },
    {
      signal: controller.signal,
      onprogress: ({ message = '' }) => {
        if (message.includes('step')) first.resolve(message);
      },
    },
  );
  const cancelled = assert.rejects(call);
  assert.equal(await first.promise, 'step one');
  controller.abort();
  await cancelled;
  const list = await agent.call('process', { action: 'list' });
  const [{ runId } = { runId: '' }] = list.data['runs'] as { runId: string }[];
  let end = await agent.call('process', { action: 'poll', runId, waitMs: 30_000 });
  while (end.data['status'] === 'running') {
    end = await agent.call('process', {
      action: 'poll',
      runId,
      cursor: end.data['cursor'],
      waitMs: 30_000,
    });
  }
  assert.deepEqual([end.data['status'], end.data['kind']], ['failed', 'manual-cancel']);
  assert.match(end.text, /mcp:test-agent/);
});

test('failures of commands are results; what cannot be done is an error with the way out', async (t) => {
  const { connect } = createMcpRig(t);
  const agent = await connect();
  const three = await agent.call('exec', { command: 'echo bad >&2; exit 3' });
  assert.deepEqual(
    [three.isError, three.data['exitCode'], three.data['output']],
    [false, 3, 'bad\n'],
  );
  const unknown = await agent.call('exec', { command: 'no-such-command-here' });
  assert.deepEqual([unknown.isError, unknown.data['kind']], [false, 'command-not-found']);
  const absent = await agent.call('exec', { argv: ['no-such-command-here'] });
  assert.deepEqual([absent.isError, absent.data['kind']], [true, 'command-not-found']);
  const slow = await agent.call('exec', { command: 'sleep 1000', timeoutSeconds: 0.2 });
  assert.deepEqual([slow.isError, slow.data['kind']], [false, 'overall-timeout']);
  const nowhere = await agent.call('exec', { command: 'true', workdir: '/no/such/place' });
  assert.equal(nowhere.isError, true);
  assert.match(nowhere.text, /does not exist/);
  const stranger = await agent.call('process', { action: 'poll', runId: 'nobody' });
  assert.equal(stranger.isError, true);
  assert.match(stranger.text, /no run "nobody" is known/);
});

test('a server in the background has no time limit unless one is set, and the agent is told', async (t) => {
  const { connect } = createMcpRig(t);
  const command = { command: 'sleep 1000', background: true };
  const free = await connect();
  const web = await free.call('exec', command);
  const runId = String(web.data['runId']);
  assert.equal(web.data['timeoutMs'], null);
  assert.match(web.text, /^No time limit\.$/m);
  for (const action of ['poll', 'log']) {
    assert.match((await free.call('process', { action, runId })).text, /^No time limit\.$/m);
  }
  assert.match(
    (await free.call('process', { action: 'list' })).text,
    /, no time limit {2}(?!\/bin\/sh)/,
  );
  await free.call('process', { action: 'kill', runId });

  const bound = await connect({ env: { CLAWDFATHER_EXEC_TIMEOUT: '20m' } });
  const limited = await bound.call('exec', command);
  assert.equal(limited.data['timeoutMs'], 1_200_000);
  const timeoutAt = String(limited.data['timeoutAt']);
  assert.ok(limited.text.includes(`Time limit: 20m, ends at ${timeoutAt}.`), limited.text);
  await bound.call('process', { action: 'kill', runId: limited.data['runId'] });
});

test('long output is cut to its end, and the call that is named brings the rest', async (t) => {
  const { connect } = createMcpRig(t);
  const agent = await connect();
  const { text, data } = await agent.call('exec', { command: 'seq 1 100000' });
  assert.ok(text.length < 17_000, `${text.length} characters`);
  assert.match(text, /100000\n$/);
  const named = /Read them with process (\{.*?\})\]/.exec(text)?.[1] ?? '';
  const rest = await agent.call('process', JSON.parse(named) as object);
  assert.ok(rest.text.length < 17_000, `${rest.text.length} characters`);
  assert.match(String(rest.data['text']), /^1\n2\n3\n/);
  assert.equal(data['exitCode'], 0);
});

test('without other orders an agent may run what the allowlist has, and is asked about the rest', async (t) => {
  const { connect, cli } = createMcpRig(t);
  const agent = await connect({ flags: [] });
  const allowed = await agent.call('exec', { command: 'echo hi' });
  assert.equal(allowed.data['status'], 'completed', allowed.text);
  const held = await agent.call('exec', { argv: [process.execPath, '-e', '1'] });
  assert.deepEqual([held.isError, held.data['status']], [false, 'approval-pending']);
  assert.match(held.text, /You cannot approve it/);
  assert.deepEqual(await cli.live(), []);

  const strict = await connect({ flags: ['--security', 'deny'] });
  const denied = await strict.call('exec', { command: 'echo hi' });
  assert.deepEqual([denied.isError, denied.data['status']], [true, 'denied']);
});

test('commands see a clean environment and the directory they were promised', async (t) => {
  const { connect, cli } = createMcpRig(t);
  cli.env['SECRET_TOKEN'] = 'canary';
  const agent = await connect({
    flags: ['--security', 'full', '--ask', 'off', '--workdir', cli.stateDir + '/..'],
  });
  const { data } = await agent.call('exec', { command: 'env; pwd' });
  assert.doesNotMatch(String(data['output']), /canary|SECRET/);
  assert.match(String(data['output']), /^CLAWDFATHER_RUN_ID=/m);
  assert.match(String(data['output']), new RegExp(`^${join(cli.stateDir, '..')}$`, 'm'));
});

test('a state directory that cannot be used is told to the agent, and the server lives', async (t) => {
  const { connect, cli } = createMcpRig(t);
  const file = join(cli.env['HOME'] ?? '', 'a-file');
  writeFileSync(file, '');
  const agent = await connect({ flags: ['--state-dir', file] });
  const { isError, text } = await agent.call('exec', { command: 'echo hi' });
  assert.equal(isError, true);
  assert.match(text, /state directory|state-dir/);
  assert.equal((await agent.client.listTools()).tools.length, 2);
});
