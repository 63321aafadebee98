/*
 * Secrets that only the gateway was told of, by flags and variables: no shield of the same state directory shows them.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createGatewayRig, endOf } from '../support/gateway-rig.ts';
import { createMcpRig, openPolicy } from '../support/mcp-rig.ts';
import { createShieldSite, shieldUsers } from '../support/shield-site.ts';

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

for (const { name, isUser, skip } of shieldUsers) {
  test(`keys that a gateway of ${name} got by flag and variable are in no shield`, {
    skip: skip || (!hasOpenssl && 'no openssl here'),
    timeout: 180_000,
  }, async (t) => {
    const site = createShieldSite(t, isUser, createGatewayRig);
    const { rig, home, project, wrap, outside, own } = site;
    rmSync(join(home, '.config/clawdfather/gateways.json'));
    // It is there before the gateway is.
    const agent = await createMcpRig(t, rig).connect({ flags: openPolicy, cwd: project, wrap });
    const keys = join(home, 'keys');
    const [cert, key, database] = ['tls.crt', 'tls.key', 'control.db'].map((one) =>
      join(keys, one),
    );
    const kind = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 5 -subj /CN=a.test';
    const files = ['-keyout', key ?? '', '-out', cert ?? ''];
    assert.equal(outside(['mkdir', '-m', '700', keys]).status, 0);
    const made = outside(['openssl', 'req', '-x509', ...kind.split(' '), ...files]);
    assert.equal(made.status, 0, made.stderr);
    const master = join(keys, 'master');
    const told = {
      CLAWDFATHER_GATEWAY_MASTER_KEYS_DIR: master,
      CLAWDFATHER_GATEWAY_DATABASE_PATH: database ?? '',
    };
    Object.assign(rig.env, told);
    const gateway = await rig.serve('--tls-cert', cert ?? '', '--tls-key', key ?? '');
    for (const variable of Object.keys(told)) delete rig.env[variable];

    const record = join(rig.stateDir, 'gateway-secrets.json');
    assert.equal(statSync(record).mode & 0o777, 0o600);
    const secrets = [join(master, '1.key'), key ?? '', database ?? '', `${database}-wal`];
    const look = `cd ${keys} && for one in ${secrets.join(' ')}; do wc -c < "$one"; done 2>&1`;
    assert.doesNotMatch(outside(['sh', '-c', look]).stdout, /^0$|such|denied/m, 'they are there');
    const seen = /^(?:0|.*(?:such|denied).*)$/;
    const check = (output: string): void => {
      const found = output.trim().split('\n');
      assert.equal(found.length, secrets.length, output);
      for (const line of found) assert.match(line, seen, output);
    };
    const ran = await rig.clf('run', '-g', 'local', '--shield', '--', 'sh', '-c', look);
    check(ran.stdout);
    const byAgent = await agent.call('exec', { command: look, yieldMs: 60_000 });
    check(String(byAgent.data['output']));

    // Another gateway without them: what earlier ones named is still there, and still hidden.
    gateway.child.kill('SIGTERM');
    await endOf(gateway);
    await rig.serve();
    check((await rig.clf('run', '-g', 'local', '--shield', '--', 'sh', '-c', look)).stdout);
    const { paths } = JSON.parse(readFileSync(record, 'utf8')) as { paths: readonly string[] };
    assert.ok(paths.includes(master) && paths.includes(key ?? ''), JSON.stringify(paths));

    // What cannot be read cannot be hidden.
    writeFileSync(record, '{"paths":');
    own(record);
    const refused = await rig.clf('run', '-g', 'local', '--shield', '--', 'true');
    assert.equal(refused.code, 125);
    assert.match(refused.stderr, /gateway-secrets.json is not as clf writes it/);
  });
}
