/*
 * The configuration as a whole, with a real ssh and a real sshd, in a directory with every sign that a path may have: our programs
 * are started with the arguments that were meant, a master opens, and the printed prefix runs a command through it.
 */
import assert from 'node:assert/strict';
import { execFile, execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import { openSshd, sshdSkip } from '@clawdfather/testkit';
import type { SshdRig } from '@clawdfather/testkit';
import { formatMasterConfig } from '../../src/master/config-text.ts';
import {
  formatMasterArgv,
  formatPassengerConfig,
  formatSshPrefix,
  masterEnvironment,
} from '../../src/master/master-command.ts';
import { quotePosix } from '../../src/command/quote-posix.ts';
import { formatPinFile, parseHostKey } from '../../src/pins/host-key.ts';

const run = promisify(execFile);
const connectionId = '0123456789abcdef';
const fixture = join(import.meta.dirname, '../fixtures/recording-shim.mjs');

interface Place {
  readonly dir: string;
  readonly socketPath: string;
  readonly configPath: string;
  readonly passengerPath: string;
  calls(): readonly (readonly string[])[];
}

function makePlace(t: TestContext, rig: SshdRig, pinText: string): Place {
  const outer = mkdtempSync(join(tmpdir(), 'clf-live-'));
  t.after(() => rmSync(outer, { recursive: true }));
  const dir = join(outer, "it's 100%h #ü");
  mkdirSync(dir);
  const at = (name: string): string => join(dir, name);
  writeFileSync(
    at('shim'),
    `#!/bin/sh\nexec ${quotePosix(process.execPath)} ${quotePosix(fixture)} "$@"\n`,
  );
  chmodSync(at('shim'), 0o755);
  const reading = parseHostKey(pinText);
  const pin = reading.outcome === 'read' ? reading.key : undefined;
  writeFileSync(at('pin'), formatPinFile(pin));
  writeFileSync(at('report'), '');
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', at('key')]);
  rig.authorize(readFileSync(at('key.pub'), 'utf8'));
  const text = formatMasterConfig({
    connectionId,
    address: rig.host,
    port: rig.port,
    user: rig.user,
    pin,
    shimPath: at('shim'),
    reportPath: at('report'),
    pinPath: at('pin'),
    // The private file: here is no signer.
    publicKeyPath: at('key'),
    signerPath: at('signer'),
    connectSeconds: 10,
  });
  // Node passes no descriptor, so its bytes go through it.
  writeFileSync(at('config'), text.replace('ProxyUseFdpass yes', 'ProxyUseFdpass no'));
  writeFileSync(at('passenger'), formatPassengerConfig());
  return {
    dir,
    socketPath: at('m'),
    configPath: at('config'),
    passengerPath: at('passenger'),
    calls: () =>
      readFileSync(at('report'), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as string[]),
  };
}

/* Resolves with true once the socket is there, or with false once the master has ended. */
async function startMaster(
  t: TestContext,
  { dir, configPath, socketPath }: Place,
): Promise<boolean> {
  const paths = { sshPath: '/usr/bin/ssh', configPath, socketPath };
  const [program = '', ...args] = formatMasterArgv(connectionId, paths);
  const ready = Promise.withResolvers<boolean>();
  const watcher = watch(dir, () => existsSync(socketPath) && ready.resolve(true));
  const master = spawn(program, args, { env: masterEnvironment(dir), stdio: 'ignore' });
  const gone = new Promise<void>((resolve) => master.once('close', () => resolve()));
  t.after(async () => {
    master.kill('SIGKILL');
    await gone;
  });
  const isReady = await Promise.race([ready.promise, gone.then(() => false)]);
  watcher.close();
  return isReady;
}

/* Of a kind that the host does not have. */
function makeEcdsaKey(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), 'clf-other-'));
  t.after(() => rmSync(dir, { recursive: true }));
  execFileSync('ssh-keygen', ['-q', '-t', 'ecdsa', '-N', '', '-C', '', '-f', join(dir, 'key')]);
  return readFileSync(join(dir, 'key.pub'), 'utf8').trim();
}

test('a master opens, and the printed prefix goes through it', { skip: sshdSkip }, async (t) => {
  const rig = await openSshd(t);
  const place = makePlace(t, rig, rig.hostKey.line);
  assert.equal(await startMaster(t, place), true);
  const { dir, socketPath, passengerPath } = place;
  const alias = `clf-${connectionId}`;
  const [report, pin] = [join(dir, 'report'), join(dir, 'pin')];
  assert.deepEqual(place.calls(), [
    ['dial', rig.host, String(rig.port), report, '10000'],
    // There is no call with ORDER: our list of algorithms has its order already.
    ['hostkey', report, pin, 'HOSTNAME', rig.hostKey.type, rig.hostKey.blob, alias],
  ]);
  const paths = { sshPath: '/usr/bin/ssh', configPath: passengerPath, socketPath };
  const prefix = formatSshPrefix({ paths, address: rig.host, port: rig.port, user: rig.user });
  const env = { PATH: '/usr/bin:/bin', HOME: dir };
  const said = await run('/bin/sh', ['-c', `echo given | ${prefix} 'cat; echo here'`], { env });
  assert.equal(said.stdout, 'given\nhere\n');
  assert.equal(place.calls().length, 2, 'no other connection was made');
});

test('a wrong pin opens nothing, and the offered key is on record', {
  skip: sshdSkip,
}, async (t) => {
  const rig = await openSshd(t);
  const old = rig.hostKey.line;
  const offered = await rig.swapHostKey();
  for (const pin of [old, makeEcdsaKey(t), '']) {
    const place = makePlace(t, rig, pin);
    assert.equal(await startMaster(t, place), false);
    assert.deepEqual(place.calls().at(-1)?.slice(3, 6), ['HOSTNAME', offered.type, offered.blob]);
  }
});
