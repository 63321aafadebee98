/*
 * The local ssh: recent enough, too old, another program, or absent; and the one of this machine.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkSsh } from '../../src/doctor/ssh-check.ts';

const says = (text: string) => checkSsh(() => Promise.resolve(text));

test('OpenSSH from 8.9 on is well', async () => {
  for (const text of [
    'OpenSSH_8.9p1 Ubuntu-3ubuntu0.10, OpenSSL 3.0.2 15 Mar 2022\n',
    'OpenSSH_9.2p1 Debian-2+deb12u6, OpenSSL 3.0.19\n',
    'OpenSSH_10.5p1, LibreSSL 4.2.0\n',
    'OpenSSH_for_Windows_9.5p2, LibreSSL 3.8.2\n',
  ]) {
    assert.equal((await says(text)).status, 'ok', text);
  }
});

test('an older one, and another program, say what to install', async () => {
  for (const text of [
    'OpenSSH_8.8p1, OpenSSL 1.1.1n\n',
    'OpenSSH_7.4p1\n',
    'Dropbear v2022.83\n',
    '',
  ]) {
    const { status, summary, advice } = await says(text);
    assert.equal(status, 'warn', text);
    assert.match(summary, /too old|not OpenSSH/);
    assert.match(advice ?? '', /Install OpenSSH 8\.9 or newer/);
  }
});

test('none at all says what to install', async () => {
  const missing = Object.assign(new Error('spawn ssh ENOENT'), { code: 'ENOENT' });
  const { status, summary, advice } = await checkSsh(() => Promise.reject(missing));
  assert.equal(status, 'warn');
  assert.match(summary, /there is no ssh/);
  assert.match(advice ?? '', /apt-get install openssh-client/);
});

test('the ssh of this machine is asked', async () => {
  const { status, summary } = await checkSsh();
  assert.ok(status === 'ok' ? summary.startsWith('OpenSSH_') : status === 'warn');
});
