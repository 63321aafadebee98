/*
 * `serve` over PostgreSQL: its address comes from a file, is in no log and no listing, and backup leaves it to its own tools.
 */
import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { usePostgres } from '@clawdfather/testkit';
import { createGatewayRig } from '../support/gateway-rig.ts';

const postgres = usePostgres();

test('a file with the address of a database is all it takes; one that others can read is refused', {
  skip: postgres.skip,
  timeout: 90_000,
}, async (context) => {
  const { connectionString } = await postgres.server.createDatabase();
  const rig = createGatewayRig(context);
  const file = join(rig.env['HOME'] ?? '', 'database-url');
  writeFileSync(file, `${connectionString}\n`, { mode: 0o644 });
  rig.env['CLAWDFATHER_GATEWAY_DATABASE_URL_FILE'] = file;
  assert.match((await rig.clf('serve')).stderr, /secret-file-unsafe/);
  chmodSync(file, 0o600);

  const gateway = await rig.serve();
  const status = await rig.clf('status', '--json', '--wait', '20s');
  assert.equal((JSON.parse(status.stdout) as { database: string }).database, 'postgres');
  assert.equal((await rig.clf('login')).code, 0);
  assert.match((await rig.clf('devices')).stdout, /this one/);
  assert.match((await rig.clf('backup', join(rig.env['HOME'] ?? '', 'b'))).stderr, /own tools/);
  const shown = await rig.clf('config', 'show');
  assert.ok(!shown.stdout.includes(connectionString));
  assert.match((await rig.clf('doctor')).stdout, /control-database: PostgreSQL/);
  await rig.clf('stop');
  const { stderr } = await gateway.result;
  assert.ok(!stderr.includes(connectionString));
});
