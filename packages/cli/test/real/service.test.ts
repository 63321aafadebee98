/*
 * `clf service` with a stand-in for systemctl that notes what it is asked; there is no systemd in a test.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { createGatewayRig } from '../support/gateway-rig.ts';

test('install writes the unit and starts it, status looks at it, uninstall takes it away', {
  timeout: 60_000,
}, async (context) => {
  const rig = createGatewayRig(context);
  const bin = join(rig.env['HOME'] ?? '', 'bin');
  const notes = join(rig.env['HOME'] ?? '', 'asked');
  mkdirSync(bin);
  const script = `#!/bin/sh\necho "$@" >> '${notes}'\ncase "$*" in *is-active*) echo active;; esac\n`;
  writeFileSync(join(bin, 'systemctl'), script, { mode: 0o755 });
  const env = { PATH: `${bin}:${rig.env['PATH'] ?? ''}` };
  const unit = join(rig.env['XDG_CONFIG_HOME'] ?? '', 'systemd/user/clawdfather.service');

  const absent = await rig.clfWith({ env }, 'service', '--user');
  assert.equal(absent.code, 1);
  assert.match(absent.stdout, /clf service install/);
  const installed = await rig.clfWith(
    { env },
    'service',
    'install',
    '--user',
    '--listen',
    '127.0.0.1:9',
  );
  assert.equal(installed.code, 0, installed.stderr);
  assert.equal(statSync(unit).mode & 0o777, 0o644, 'as systemd wants it');
  const text = readFileSync(unit, 'utf8');
  assert.match(text, /^ExecStart=.*\/clawdfather serve --listen 127\.0\.0\.1:9 --state-dir /m);
  assert.match(text, /^KillMode=process$/m);
  const asked = readFileSync(notes, 'utf8');
  assert.match(
    asked,
    /--user daemon-reload\n--user enable clawdfather\.service\n--user restart clawdfather/,
  );

  assert.equal((await rig.clfWith({ env }, 'service', 'status', '--user')).code, 0);
  writeFileSync(unit, text.replace('KillMode=process', 'KillMode=control-group'));
  const changed = await rig.clfWith({ env }, 'service', 'status', '--user', '--json');
  assert.equal(changed.code, 1);
  assert.match(changed.stdout, /KillMode is control-group/);
  assert.match((await rig.clfWith({ env }, 'doctor')).stdout, /FAIL {2}service: .*KillMode/);

  assert.equal((await rig.clfWith({ env }, 'service', 'uninstall', '--user')).code, 0);
  assert.ok(!existsSync(unit));
  assert.match(readFileSync(notes, 'utf8'), /disable --now clawdfather\.service/);
});

test('where no systemd answers nothing is written, and what to do is said', {
  timeout: 60_000,
}, async (context) => {
  const rig = createGatewayRig(context);
  const bin = join(rig.env['HOME'] ?? '', 'bin');
  mkdirSync(bin);
  // As in a container: the program is there, and nothing answers it.
  const script = '#!/bin/sh\necho "System has not been booted with systemd" >&2\nexit 1\n';
  writeFileSync(join(bin, 'systemctl'), script, { mode: 0o755 });
  for (const PATH of ['/nowhere', `${bin}:${rig.env['PATH'] ?? ''}`]) {
    const options = { env: { PATH } };
    const installed = await rig.clfWith(options, 'service', 'install', '--user');
    assert.equal(installed.code, 125);
    assert.match(
      installed.stderr,
      /systemd does not answer here.*\n.*Nothing was changed.*clf serve/s,
    );
    assert.ok(!existsSync(join(rig.env['XDG_CONFIG_HOME'] ?? '', 'systemd')));
    const unit = join(rig.env['XDG_CONFIG_HOME'] ?? '', 'systemd/user/clawdfather.service');
    const none = await rig.clfWith(options, 'service', 'uninstall', '--user');
    assert.deepEqual([none.code, none.stdout], [0, `There is no ${unit}.\n`]);
    mkdirSync(dirname(unit), { recursive: true });
    writeFileSync(unit, '');
    const uninstalled = await rig.clfWith(options, 'service', 'uninstall', '--user');
    assert.equal(uninstalled.code, 125);
    assert.match(
      uninstalled.stderr,
      /does not answer here.*\n.*by hand: rm .*clawdfather\.service/s,
    );
    assert.doesNotMatch(uninstalled.stderr, /install --print/);
    rmSync(join(rig.env['XDG_CONFIG_HOME'] ?? '', 'systemd'), { recursive: true });
    const asked = await rig.clfWith(options, 'service', 'status', '--user');
    assert.equal(asked.code, 1);
    assert.equal(
      asked.stdout,
      'systemd does not answer here. Start the gateway by hand: clf serve\n',
    );
    const json = await rig.clfWith(options, 'service', 'status', '--user', '--json');
    assert.equal(JSON.parse(json.stdout).state, 'unsupported');
  }
});
