/*
 * What a hostile agent could do with the socket that the policy `full` lets into its shield: the master at its other end is outside,
 * and must not be led to do what the shield forbids.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { sshdSkip } from '@clawdfather/testkit';
import type { Answer } from '../fixtures/api-client.ts';
import { closeSessions, processesWith, untilTrue, withHost, type World } from './host-world.ts';
import { noShield, shieldedRuns } from './shielded-runs.ts';

const options = { skip: sshdSkip || noShield, timeout: 60_000 };

async function openFully({ ask, connectionId }: World): Promise<string> {
  await ask('POST', `connections/${connectionId}/policy`, { body: { policy: 'full' } });
  const made = await ask('POST', 'sessions', { body: { connection_id: connectionId } });
  return made.body.session.id;
}

async function inShield(
  { ask }: World,
  sessionId: string,
  command: string,
): Promise<Answer['body']> {
  const body = { command, sessionId, shield: true, yieldMs: 20_000 };
  return (await ask('POST', 'runs', { body })).body;
}

const control = 'ssh -F none -o ControlPath=/run/clawdfather-ssh/s -O';

test(
  'an agent in a shield reaches no socket of this machine through the connection',
  options,
  (t) =>
    withHost(
      t,
      async (world) => {
        const hidden = mkdtempSync(join(tmpdir(), 'clf-hidden-'));
        t.after(() => rmSync(hidden, { recursive: true, force: true }));
        const reached: string[] = [];
        const server = createServer((socket) => {
          reached.push('reached');
          socket.end();
        });
        await new Promise<void>((resolve) => server.listen(join(hidden, 'docker.sock'), resolve));
        t.after(() => server.close());
        const session = await openFully(world);
        const there = join(world.sshd.dir, 'back');
        const lines = [
          `${control} forward -R ${there}:${hidden}/docker.sock x`,
          `${control} forward -L ${hidden}/made:/nowhere x`,
          `${control} exit x`,
        ];
        for (const line of lines) {
          const { output } = await inShield(world, session, `${line} 2>&1; echo "code $?"`);
          assert.match(output, /only sessions on the host are open[^]*code 255/, line);
        }
        assert.deepEqual([existsSync(there), existsSync(join(hidden, 'made'))], [false, false]);
        assert.deepEqual(reached, []);
        const { output } = await inShield(world, session, '$CLAWDFATHER_SSH_PREFIX echo well');
        assert.equal(output, 'well\n', 'the session is as it was');
      },
      { runs: shieldedRuns(t) },
    ),
);

test('the process at the door ends with the session', options, (t) =>
  withHost(
    t,
    async (world) => {
      const session = await openFully(world);
      const ssh = join(world.rig.config.stateDir, 'ssh');
      const doors = (): number => processesWith(ssh).filter((words) => words[1] === 'door').length;
      await Promise.all(
        [1, 2, 3].map((n) => inShield(world, session, `$CLAWDFATHER_SSH_PREFIX echo ${n}`)),
      );
      await untilTrue(() => doors() === 1);
      await closeSessions(world.ask);
      await untilTrue(() => doors() === 0);
    },
    { runs: shieldedRuns(t) },
  ),
);
