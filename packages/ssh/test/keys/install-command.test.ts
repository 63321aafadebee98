/*
 * The command that people paste: run for real in a home of its own.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { appendFile, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { createSystemRandom } from '@clawdfather/kit';
import { formatInstallCommand } from '../../src/keys/install-command.ts';
import { formatComment } from '../../src/keys/key-custody.ts';
import { createOpensshKey } from '../../src/keys/openssh-key.ts';

const run = promisify(execFile);

async function inHome(work: (home: string) => Promise<void>): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), "clf home' "));
  try {
    await work(home);
  } finally {
    await rm(home, { recursive: true });
  }
}

const newKey = (label = 'laptop'): Promise<{ readonly publicKey: string }> =>
  createOpensshKey(createSystemRandom(), formatComment(label, 'id'));

async function paste(home: string, publicKey: string): Promise<string> {
  const env = { HOME: home, PATH: '/usr/bin:/bin' };
  const { stdout } = await run('sh', ['-c', formatInstallCommand(publicKey)], { env, cwd: '/' });
  return stdout.trim();
}

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

test('a fresh home gets the directory, the file and the line, with the modes that sshd wants', () =>
  inHome(async (home) => {
    const { publicKey } = await newKey();
    assert.equal(await paste(home, publicKey), 'installed');
    assert.equal(await readFile(join(home, '.ssh/authorized_keys'), 'utf8'), `${publicKey}\n`);
    assert.equal(await modeOf(join(home, '.ssh')), 0o700);
    assert.equal(await modeOf(join(home, '.ssh/authorized_keys')), 0o600);
  }));

test('pasting it again adds nothing; what was there stays as it is', () =>
  inHome(async (home) => {
    const [{ publicKey }, { publicKey: other }] = [await newKey(), await newKey()];
    await mkdir(join(home, '.ssh'), { mode: 0o777 });
    const file = join(home, '.ssh/authorized_keys');
    // Without the end of its last line, and with ours commented out.
    await writeFile(file, `# ${publicKey}\n${other}`, { mode: 0o666 });
    assert.equal(await paste(home, publicKey), 'installed');
    assert.equal(await paste(home, publicKey), 'already installed');
    assert.equal(await readFile(file, 'utf8'), `# ${publicKey}\n${other}\n${publicKey}\n`);
    assert.equal(await modeOf(file), 0o600);
    await appendFile(file, '\n');
    assert.equal(await paste(home, publicKey), 'already installed');
  }));

test('a key that is there with options is not let in a second time without them', () =>
  inHome(async (home) => {
    const { publicKey } = await newKey();
    await mkdir(join(home, '.ssh'));
    const line = `from="10.0.0.0/8" ${publicKey}\n`;
    await writeFile(join(home, '.ssh/authorized_keys'), line);
    assert.equal(await paste(home, publicKey), 'already installed');
    assert.equal(await readFile(join(home, '.ssh/authorized_keys'), 'utf8'), line);
  }));

test('whatever a label holds, it does nothing but name the key', () =>
  inHome(async (home) => {
    for (const label of [
      `'; touch ${join(home, 'pwned')}; '`,
      '$(touch pwned)`touch pwned`',
      'a" >> /dev/null; exit 1; "',
      '日本語',
      '!!',
    ]) {
      const { publicKey } = await newKey(label);
      assert.equal(await paste(home, publicKey), 'installed');
    }
    const lines = (await readFile(join(home, '.ssh/authorized_keys'), 'utf8')).split('\n');
    assert.equal(lines.length, 6);
    await assert.rejects(stat(join(home, 'pwned')));
  }));

test('a comment made of any label is letters, digits, dots, dashes and underscores', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (label) => {
      assert.match(formatComment(label, 'id'), /^clawdfather-[A-Za-z0-9._-]+$/);
    }),
  );
});

test('keys of one label have lines that a person can tell apart', () => {
  assert.equal(
    formatComment('my laptop', 'k3v9qv7hd2m5x8ab'),
    'clawdfather-my-laptop-k3v9qv7hd2m5',
  );
  assert.equal(formatComment('!!', 'k3v9qv7hd2m5x8ab'), 'clawdfather-k3v9qv7hd2m5');
});

test('a public key that is not ours is never put into a command', () => {
  assert.throws(() => formatInstallCommand("ssh-ed25519 AAAA x'; reboot"));
  assert.throws(() => formatInstallCommand('ssh-rsa AAAA x'));
});
