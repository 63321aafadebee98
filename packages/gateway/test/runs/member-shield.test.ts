/*
 * The shield around what a member's token starts, as the member's Unix user, at a gateway of root: the member's own keys are hidden, and what
 * the gateway makes in that home is the member's.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readConfinementSupport, shimBinaryPath } from '@clawdfather/supervisor';
import { cannotMakeUsers, makeUnixUser } from '@clawdfather/testkit';
import { callerOf } from '../fixtures/api-caller.ts';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';

const { landlock, hasNamespaces } = await readConfinementSupport(shimBinaryPath());
const noShield = !(landlock >= 6 && hasNamespaces) && 'the whole shield cannot be had here';

test("an agent of a member is shielded in the member's home, with the member's rights", {
  skip: cannotMakeUsers || noShield,
}, async (t) => {
  await using user = await makeUnixUser();
  const state = mkdtempSync(join(tmpdir(), 'clf-shield-'));
  t.after(() => rmSync(state, { recursive: true, force: true }));
  const settings = { mode: 'on', hide: [], open: ['tmp'], write: [] } as const;
  const places = {
    ownDirectories: [state],
    given: [],
    ours: [],
    programs: [],
    privateDir: join(state, 'shield'),
    home: '/root',
    runtimeDir: undefined,
    searchPath: '/usr/bin:/bin',
  };
  const runs = {
    shield: { settings, places },
    agentPolicy: { security: 'full', ask: 'off' } as const,
  };
  await using rig = await openTestGateway({ otherRunsAs: user, runs });
  const member = callerOf(rig.url, rig.other.token);
  const created = await member.post('/api/v1/auth/tokens', {
    label: 'agent',
    scopes: ['read', 'run'],
  });
  const agent = callerOf(rig.url, created.body.token);
  const output = async (command: string): Promise<string> => {
    const asked = { command: `exec 2>&1; ${command}`, yieldMs: 20_000 };
    const { body } = await agent.post('/api/v1/runs', asked);
    assert.ok(['completed', 'failed'].includes(body.status), JSON.stringify(body));
    return body.output;
  };
  const keys = join(user.home, '.ssh');
  mkdirSync(keys);
  writeFileSync(join(keys, 'id'), 'canary\n');
  assert.equal(await output('id -u; ls -A ~/.ssh'), `${user.uid}\n`);
  for (const path of ['.bash_profile', '.config/systemd']) {
    assert.equal(statSync(join(user.home, path)).uid, user.uid, 'it is theirs');
  }
  for (const line of [
    'cat ~/.ssh/id',
    'echo evil >> ~/.profile',
    'echo evil > ~/.config/systemd/x',
    `ls ${state}/shield`,
    `cat /proc/${process.pid}/environ`,
    `kill -0 ${process.pid}`,
  ]) {
    const said = await output(`${line} && echo done`);
    assert.match(said, /No such file|Read-only|denied|not permitted|^$/, line);
    assert.doesNotMatch(said, /canary|done/, line);
  }
});
