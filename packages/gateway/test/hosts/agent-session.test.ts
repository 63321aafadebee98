/*
 * A session on a host that is started with an agent, with a real sshd: the agent runs here, is told where it works, and ends with the session.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createProcProcessTable } from '@clawdfather/supervisor';
import { sshdSkip } from '@clawdfather/testkit';
import { untilTrue, withHost, type World } from './host-world.ts';
import { noShield, shieldedRuns } from './shielded-runs.ts';

const table = createProcProcessTable();

async function agentOf({ rig }: World, threadId: string) {
  const { threads } = rig.gateway.store.forAccount(rig.owner.accountId);
  const rows = await threads.load(threadId);
  return { threads, rows, pid: rows?.run?.process?.rootPid ?? 0 };
}

test(
  'the agent of a session on a host is told all of it, and ends with it; here it works on nothing instead',
  { skip: sshdSkip || noShield },
  (t) =>
    withHost(
      t,
      async (world) => {
        const { ask, connectionId, sshd } = world;
        await ask('POST', `connections/${connectionId}/policy`, { body: { policy: 'full' } });
        const body = { connection_id: connectionId, agent: 'echo' };
        const made = await ask('POST', 'sessions', { body });
        assert.equal(made.status, 201, JSON.stringify(made.body));
        const { id, status, agent_session_id: threadId } = made.body.session;
        assert.equal(status, 'active');
        const { pid, rows, threads } = await agentOf(world, threadId);
        assert.equal(rows?.thread.viaConnectionId, connectionId);
        const environ = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
        const valueOf = (name: string): string =>
          environ.find((line) => line.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
        const context = JSON.parse(valueOf('CLAWDFATHER_CONTEXT'));
        const keys = ['connection_id', 'host', 'port', 'username', 'keypair_id'];
        const more = ['session_lease_id', 'control_path'];
        assert.deepEqual(Object.keys(context), [...keys, ...more]);
        const { host, port, user } = sshd;
        assert.deepEqual(
          [context.connection_id, context.host, context.port, context.username],
          [connectionId, host, port, user],
        );
        assert.equal(context.session_lease_id, id);
        assert.match(valueOf('CLAWDFATHER_SSH_PREFIX'), /^ssh .* -o ControlMaster=no .* --$/);

        assert.equal((await ask('DELETE', `sessions/${id}`)).status, 200);
        await untilTrue(async () => (await threads.endedRuns(threadId)).length > 0);
        const reading = table.read(pid);
        assert.ok(reading.kind === 'absent' || (reading.kind === 'found' && reading.isZombie));
        const { turn } = (await ask('POST', `threads/${threadId}/turns`, { body: { text: 'ls' } }))
          .body;
        await untilTrue(async () => {
          const now = (await ask('GET', `turns/${turn.id}`)).body.turn;
          return now.status === 'failed' && /session on the host is over/.test(now.result.message);
        });
      },
      { runs: shieldedRuns(t) },
    ),
);

test(
  'where an agent would go past the policy of a host, it does not start',
  { skip: sshdSkip },
  (t) =>
    withHost(t, async (world) => {
      const { ask, connectionId } = world;
      const body = { connection_id: connectionId, agent: 'echo' };
      const { status, body: answer } = await ask('POST', 'sessions', { body });
      assert.deepEqual([status, answer.error.code], [422, 'unsupported'], JSON.stringify(answer));
      const [session] = (await ask('GET', 'sessions')).body.items;
      assert.equal(session.status, 'error');
      assert.equal((await ask('GET', 'threads')).body.total, 0);
    }),
);
