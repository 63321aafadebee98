/*
 * What the API says of runs on an SSH host: the name of the host and the directory there; and lists of one host. The host is a real sshd.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSshd, sshdSkip } from '@clawdfather/testkit';
import { createAsk } from '../fixtures/api-client.ts';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';

test('runs and requests have the name of their host, and are listed by it', {
  skip: sshdSkip,
}, async (t) => {
  const sshd = await openSshd(t);
  await using rig = await openTestGateway();
  const ask = createAsk(rig);
  const { key } = (await ask('POST', 'keys', { body: { label: 'k' } })).body;
  sshd.authorize(key.public_key);
  const { host, port, user: username } = sshd;
  const connect = async (label: string): Promise<string> => {
    const body = { label, host, port, username, keypair_id: key.id };
    return (await ask('POST', 'connections', { body })).body.connection.id;
  };
  const id = await connect('web');
  await connect('db');
  await ask('POST', `connections/${id}/test`, { body: { accept_host_key: true } });
  const start = async (body: object) => {
    const { status, body: answer } = await ask('POST', 'runs', {
      body: { yieldMs: 20_000, ...body },
    });
    assert.equal(status, 201, JSON.stringify(answer));
    return answer.runId as string;
  };
  try {
    const here = await start({ argv: ['true'] });
    const there = await start({ argv: ['true'], host: id });
    const below = await start({ argv: ['echo', 'two words'], host: 'web', workdir: '/usr' });
    const show = async (runId: string) => (await ask('GET', `runs/${runId}`)).body;
    assert.deepEqual(
      [await show(here), await show(there), await show(below)].map((run) => [
        run.host,
        run.labels.host,
      ]),
      [
        ['local', 'local'],
        ['web', id],
        ['web', id],
      ],
    );
    assert.equal((await show(below)).command, "echo 'two words'");
    assert.deepEqual([(await show(there)).cwd, (await show(below)).cwd], ['~', '/usr']);
    const token = (
      await ask('POST', 'tokens', { body: { label: 'agent', scopes: ['read', 'run'] } })
    ).body.token;
    const asked = { body: { command: 'true', host: 'web', ask: 'always' }, token };
    const held = (await ask('POST', 'runs', asked)).body;
    assert.equal(held.status, 'approval-pending', JSON.stringify(held));
    const approval = (await ask('GET', `approvals/${held.approvalId}`)).body;
    assert.deepEqual([approval.host, approval.cwd], ['web', '.']);

    const listed = async (query: string) => {
      const { items, total } = (await ask('GET', `runs?${query}`)).body;
      assert.equal(items.length, total, query);
      return (items as { runId: string }[]).map(({ runId }) => runId);
    };
    assert.deepEqual(await listed('host=web'), [held.runId, below, there]);
    assert.deepEqual(await listed(`host=${id}&state=finished`), [below, there]);
    assert.deepEqual(await listed('host=db'), []);
    assert.deepEqual(await listed('host=local'), [here]);
    const unknown = await ask('GET', 'runs?host=nowhere');
    assert.deepEqual([unknown.status, unknown.body.error.detail.reason], [400, 'unknown-host']);
    const page = await ask('GET', `runs?host=web&limit=1&offset=1`);
    assert.deepEqual([page.body.items[0].runId, page.body.total], [below, 3]);
  } finally {
    for (const session of (await ask('GET', 'sessions?status=active')).body.items) {
      await ask('DELETE', `sessions/${session.id}`);
    }
  }
});
