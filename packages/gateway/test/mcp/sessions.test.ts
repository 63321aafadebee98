/*
 * A whole session of an agent over HTTP, with the protocol's own client, in every revision that has HTTP.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openMcpRig, revisions } from './rig.ts';

for (const revision of revisions) {
  test(`${revision}: an agent lists the tools, runs, follows, drives and ends commands`, async () => {
    await using rig = await openMcpRig();
    const { token, id } = await rig.makeToken();
    await using agent = await rig.connect({ token, revision });
    assert.equal(agent.client.getNegotiatedProtocolVersion(), revision);
    const { tools } = await agent.client.listTools();
    assert.deepEqual(
      tools.map(({ name }) => name),
      ['exec', 'process'],
    );

    const done = await agent.call('exec', { command: 'echo out; exit 3' });
    assert.deepEqual([done.data['exitCode'], done.data['output']], [3, 'out\n']);

    const started = await agent.call('exec', {
      command: 'echo ready; while read word; do echo "got $word"; done',
      background: true,
    });
    const runId = String(started.data['runId']);
    const { data } = await agent.pollFor(runId, /ready/);
    await agent.call('process', { action: 'write', runId, data: 'one\n' });
    await agent.pollFor(runId, /got one/, String(data['cursor']));
    const seen = await rig.look(runId);
    assert.equal(seen.requester, `mcp:test-agent token:${id}`);
    const killed = await agent.call('process', { action: 'kill', runId });
    assert.equal(killed.data['isGone'], true);
    assert.equal((await rig.look(runId)).exit.reason, 'manual-cancel');

    const editor = await agent.call('exec', {
      command: 'stty -echo; printf "name? "; read name; echo "hello $name"; sleep 1000',
      pty: true,
      background: true,
    });
    const ptyId = String(editor.data['runId']);
    await agent.pollFor(ptyId, /name\?/);
    await agent.call('process', {
      action: 'send-keys',
      runId: ptyId,
      literal: 'clf',
      keys: ['Enter'],
    });
    await agent.pollFor(ptyId, /hello clf/);
    const screen = await agent.call('process', { action: 'screen', runId: ptyId });
    assert.match(screen.text, /hello clf/);
    await agent.call('process', { action: 'remove', runId: ptyId });
    const gone = await agent.call('process', { action: 'poll', runId: ptyId });
    assert.equal(gone.isError, true);
  });
}

for (const revision of revisions) {
  test(`${revision}: a command that waits in the foreground reports progress`, async () => {
    await using rig = await openMcpRig();
    const { token } = await rig.makeToken();
    await using agent = await rig.connect({ token, revision });
    const heard: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const done = agent.call(
      'exec',
      { command: 'echo first line; read word', yieldMs: 120_000 },
      {
        onprogress: ({ message = '' }) => {
          heard.push(message);
          resolve();
        },
      },
    );
    await promise;
    assert.equal(heard[0], 'first line');
    const { data } = await agent.call('process', { action: 'list', state: 'running' });
    const [run] = data['runs'] as { runId: string }[];
    await agent.call('process', { action: 'write', runId: run?.runId, data: 'go\n' });
    assert.equal((await done).data['exitCode'], 0);
  });
}
