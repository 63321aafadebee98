/*
 * Our keys are OpenSSH's: its own programs read both halves, and agree about the fingerprint.
 */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { createSystemRandom } from '@clawdfather/kit';
import { createOpensshKey } from '../../src/keys/openssh-key.ts';

const run = promisify(execFile);
const random = createSystemRandom();

async function inDirectory(work: (directory: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'clf-openssh-'));
  try {
    await work(directory);
  } finally {
    await rm(directory, { recursive: true });
  }
}

test('ssh-keygen derives the public half and the fingerprint that we give', () =>
  inDirectory(async (directory) => {
    // Comments of several lengths: the private part is padded to whole blocks.
    for (const comment of ['clawdfather-a', 'clawdfather-laptop', 'clawdfather-0123456']) {
      const key = await createOpensshKey(random, comment);
      const privatePath = join(directory, comment);
      await writeFile(privatePath, key.privateFile, { mode: 0o600 });
      await writeFile(`${privatePath}.line`, `${key.publicKey}\n`);
      const derived = await run('/usr/bin/ssh-keygen', ['-y', '-f', privatePath]);
      assert.equal(derived.stdout.trim(), key.publicKey);
      const shown = await run('/usr/bin/ssh-keygen', ['-lf', `${privatePath}.line`]);
      assert.equal(shown.stdout, `256 ${key.fingerprint} ${comment} (ED25519)\n`);
    }
  }));

test('an agent takes the private half over a pipe', () =>
  inDirectory(async (directory) => {
    const key = await createOpensshKey(random, 'clawdfather-agent');
    const socket = join(directory, 'agent');
    const agent = spawn('/usr/bin/ssh-agent', ['-D', '-a', socket], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    try {
      // It prints where it listens once it does.
      await new Promise((resolve) => agent.stdout.once('data', resolve));
      const env = { PATH: process.env['PATH'], SSH_AUTH_SOCK: socket };
      const adding = spawn('/usr/bin/ssh-add', ['-t', '60', '-'], {
        env,
        stdio: ['pipe', 'ignore', 'pipe'],
      });
      adding.stdin.end(key.privateFile);
      const [said, code] = await Promise.all([
        text(adding.stderr),
        new Promise((resolve) => adding.once('close', resolve)),
      ]);
      assert.equal(code, 0, said);
      const { stdout } = await run('/usr/bin/ssh-add', ['-L'], { env });
      assert.equal(stdout.trim(), key.publicKey);
    } finally {
      const gone = new Promise((resolve) => agent.once('close', resolve));
      agent.kill();
      await gone;
    }
  }));
