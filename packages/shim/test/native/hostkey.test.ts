/*
 * ssh's question for known host keys: the pins are the answer, and the offered key is recorded.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type HostKey, openSshd, type SshdRig } from '@clawdfather/testkit';
import { path, sshPrograms, sshSettings } from './mux-rig.ts';
import { nativeTest, type Rig } from './rig.ts';

const ssh = { programs: sshPrograms };
const alias = 'clf-0123456789abcdef';

async function openHost(rig: Rig): Promise<SshdRig> {
  const sshd = await openSshd(rig);
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(sshd.dir, 'id')]);
  sshd.authorize(readFileSync(join(sshd.dir, 'id.pub'), 'utf8'));
  return sshd;
}

function pin(rig: Rig, text: string): void {
  writeFileSync(join(rig.dir, 'pins'), text);
}

function takeReport(rig: Rig): readonly string[] {
  const file = join(rig.dir, 'report');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
  writeFileSync(file, '');
  return lines;
}

/* Ours come first: the first value of a setting counts. */
function login(rig: Rig, sshd: SshdRig) {
  const words = [join(rig.dir, 'report'), join(rig.dir, 'pins'), '%I', '%t', '%K', alias];
  const ours = [
    `KnownHostsCommand=${rig.binaryPath} hostkey ${words.join(' ')}`,
    `HostKeyAlias=${alias}`,
    'UserKnownHostsFile=none',
    'CheckHostIP=no',
    'UpdateHostKeys=no',
  ].flatMap((setting) => ['-o', setting]);
  const args = ['-F', 'none', ...ours, ...sshSettings(sshd).slice(2), sshd.host, 'echo in'];
  const { status, stdout, stderr } = spawnSync('ssh', args, {
    env: { PATH: path },
    encoding: 'utf8',
  });
  return { status, stdout, stderr, report: takeReport(rig) };
}

function offer({ type, blob }: HostKey): string {
  return `hostkey HOSTNAME ${type} ${blob}`;
}

nativeTest(
  'a pinned key lets in, and is recorded as it was offered',
  async (rig) => {
    const sshd = await openHost(rig);
    const other = 'ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAgQ==';
    pin(rig, `${other}\n${sshd.hostKey.line}\n`);
    const { status, stdout, stderr, report } = login(rig, sshd);
    assert.equal(stdout, 'in\n', stderr);
    assert.equal(status, 0);
    assert.deepEqual(report, [offer(sshd.hostKey)]);
  },
  ssh,
);

nativeTest(
  'without a pin nothing lets in, and the offer is recorded for the decision',
  async (rig) => {
    const sshd = await openHost(rig);
    pin(rig, '');
    const { status, report } = login(rig, sshd);
    assert.equal(status, 255);
    assert.deepEqual(report, [offer(sshd.hostKey)]);
  },
  ssh,
);

nativeTest(
  'a changed key does not let in, and both are known',
  async (rig) => {
    const sshd = await openHost(rig);
    const before = sshd.hostKey;
    pin(rig, `${before.line}\n`);
    assert.equal(login(rig, sshd).status, 0);
    const after = await sshd.swapHostKey();
    const { status, report } = login(rig, sshd);
    assert.equal(status, 255);
    assert.notEqual(after.blob, before.blob);
    assert.deepEqual(report, [offer(after)]);
  },
  ssh,
);

nativeTest(
  'pins that are not what we write let nothing in',
  async (rig) => {
    const sshd = await openHost(rig);
    const { line } = sshd.hostKey;
    const bad = [
      line,
      `${line}\n\n`,
      `* ${line}\n`,
      `@cert-authority * ${line}\n`,
      `${line} comment\n`,
      `${line.replace(' ', '  ')}\n`,
      `${line}\r\n`,
      `${line}\0\n`,
      `${`${line}\n`.repeat(17)}`,
      `${'x'.repeat(33_000)}`,
    ];
    for (const text of bad) {
      pin(rig, text);
      const { status, report } = login(rig, sshd);
      assert.equal(status, 255, JSON.stringify(text.slice(0, 120)));
      assert.ok(report.includes('hostkey bad-pins'), report.join('\n'));
    }
  },
  ssh,
);

nativeTest('what is printed is the pins under the alias, whatever is asked', async (rig) => {
  const ask = (...words: readonly string[]) => {
    const files = [join(rig.dir, 'report'), join(rig.dir, 'pins')];
    const { status, stdout } = spawnSync(rig.binaryPath, ['hostkey', ...files, ...words], {
      encoding: 'utf8',
    });
    return { status, stdout, report: takeReport(rig) };
  };
  pin(rig, 'ssh-ed25519 AAAA\necdsa-sha2-nistp256 BBBB\n');
  const stdout = `${alias} ssh-ed25519 AAAA\n${alias} ecdsa-sha2-nistp256 BBBB\n`;
  assert.deepEqual(ask('ORDER', 'NONE', 'NONE', alias), { status: 0, stdout, report: [] });
  assert.deepEqual(ask('HOSTNAME', 'ssh-rsa', 'A+/=', alias), {
    status: 0,
    stdout,
    report: ['hostkey HOSTNAME ssh-rsa A+/='],
  });
  for (const [type, key] of [
    ['ssh rsa', 'AAAA'],
    ['ssh-rsa', 'AAA'],
    ['ssh-rsa', 'AA\nA'],
    ['x'.repeat(65), 'AAAA'],
    ['ssh-rsa', 'A'.repeat(2_804)],
  ] as const) {
    assert.deepEqual(ask('HOSTNAME', type, key, alias).report, ['hostkey malformed']);
  }
  for (const name of ['', 'a b', '*', 'a,b', '@x', 'x'.repeat(129)]) {
    assert.deepEqual(ask('ORDER', 'NONE', 'NONE', name), {
      status: 1,
      stdout: '',
      report: ['hostkey bad-pins'],
    });
  }
});
