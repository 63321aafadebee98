/*
 * `serve` with TLS of its own: reachable beyond loopback, and from the same machine by its very certificate.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createGatewayRig } from '../support/gateway-rig.ts';

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

test('the command line trusts the certificate that gateway.json names, and no other', {
  skip: hasOpenssl ? false : 'no openssl here',
  timeout: 60_000,
}, async (context) => {
  const rig = createGatewayRig(context);
  const home = rig.env['HOME'] ?? '';
  const [cert, key] = [join(home, 'cert.pem'), join(home, 'key.pem')];
  const key256 =
    '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 5 -subj /CN=clawd.example';
  const files = ['-keyout', key, '-out', cert];
  const made = spawnSync('openssl', ['req', '-x509', ...key256.split(' '), ...files]);
  assert.equal(made.status, 0, String(made.stderr));
  const flags = ['--listen', '0.0.0.0:0', '--tls-cert', cert, '--tls-key', key];
  const gateway = await rig.serve(...flags);
  assert.match(gateway.url, /^https:\/\/0\.0\.0\.0:/);
  assert.equal((await rig.clf('status', '-q', '--wait', '20s')).code, 0);
  const signedIn = await rig.clf('login');
  assert.equal(signedIn.code, 0, signedIn.stderr);
  const followed = await rig.clf('run', '-g', gateway.url, '--', 'sh', '-c', 'echo out; exit 4');
  assert.deepEqual([followed.code, followed.stdout], [4, 'out\n']);

  const path = join(rig.stateDir, 'gateway.json');
  const record = JSON.parse(readFileSync(path, 'utf8')) as { certificate: string };
  const other = record.certificate.replaceAll(/[0-9]/g, 'A');
  writeFileSync(path, JSON.stringify({ ...record, certificate: other }));
  const refused = await rig.clf('ps', '-g', gateway.url);
  assert.equal(refused.code, 125);
  assert.match(refused.stderr, /its certificate is not the one/);

  const settings = { CLAWDFATHER_GATEWAY_TLS_CERT: cert, CLAWDFATHER_GATEWAY_TLS_KEY: key };
  const { stdout } = await rig.clfWith({ env: settings }, 'doctor');
  assert.match(stdout, /warn {2}certificate: .* is good until/);
});
