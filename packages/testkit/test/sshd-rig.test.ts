/*
 * The rig's sshd lets in whom it was told to, shows another key when asked, and leaves nothing.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { openSshd, sshdSkip, type SshdRig } from '@clawdfather/testkit';

const options = { skip: sshdSkip, timeout: 60_000 };

function makeKey(t: TestContext): { readonly dir: string; readonly line: string } {
  const dir = mkdtempSync(join(tmpdir(), 'clf-key-'));
  t.after(() => rmSync(dir, { recursive: true }));
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(dir, 'id')]);
  return { dir, line: readFileSync(join(dir, 'id.pub'), 'utf8') };
}

function sshArguments(rig: SshdRig, dir: string): readonly string[] {
  writeFileSync(join(dir, 'known'), `rig ${rig.hostKey.line}\n`);
  const settings = [
    `UserKnownHostsFile=${join(dir, 'known')}`,
    'GlobalKnownHostsFile=none',
    'HostKeyAlias=rig',
    'StrictHostKeyChecking=yes',
    'BatchMode=yes',
    `IdentityFile=${join(dir, 'id')}`,
    'IdentitiesOnly=yes',
    'IdentityAgent=none',
  ].flatMap((setting) => ['-o', setting]);
  return ['-F', 'none', ...settings, '-p', String(rig.port), `${rig.user}@${rig.host}`];
}

test(
  'it serves a key that was authorized, with its own host key, and no other',
  options,
  async (t) => {
    const rig = await openSshd(t);
    const { dir, line } = makeKey(t);
    const run = () =>
      spawnSync('ssh', [...sshArguments(rig, dir), 'echo here'], { encoding: 'utf8' });
    assert.match(run().stderr, /Permission denied/);
    rig.authorize(line);
    assert.equal(run().stdout, 'here\n');
    const args = sshArguments(rig, dir);
    const before = rig.hostKey.blob;
    const after = await rig.swapHostKey();
    assert.notEqual(after.blob, before);
    assert.match(
      spawnSync('ssh', [...args, 'true'], { encoding: 'utf8' }).stderr,
      /HOST IDENTIFICATION HAS CHANGED/,
    );
    assert.equal(run().stdout, 'here\n');
    await rig.logs('Accepted publickey');
  },
);

test('its end takes the processes of its sessions along', options, async (t) => {
  const rig = await openSshd(t, { config: ['MaxSessions 3'], sessionEnv: { TRIED: 'a b' } });
  const { dir, line } = makeKey(t);
  rig.authorize(line);
  const script = 'setsid sleep 1000 > /dev/null 2>&1 & echo "$! $$ $TRIED"; exec sleep 1000';
  const ssh = spawn('ssh', [...sshArguments(rig, dir), script]);
  const said = Promise.withResolvers<string>();
  ssh.stdout.setEncoding('utf8').once('data', said.resolve);
  const [apart, shell, ...words] = (await said.promise).trim().split(' ');
  assert.deepEqual(words, ['a', 'b']);
  const ended = Promise.withResolvers<unknown>();
  ssh.once('exit', ended.resolve);
  // As a test may: its connections have lost their parent.
  process.kill(rig.pid, 'SIGKILL');
  await rig.stop();
  await ended.promise;
  assert.ok(![apart, shell].some((pid) => existsSync(`/proc/${pid}/environ`) && isAlive(pid)));
  assert.ok(!existsSync(rig.dir));
});

/* A zombie is dead, and its new parent may take its time. */
function isAlive(pid: string | undefined): boolean {
  return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
}
