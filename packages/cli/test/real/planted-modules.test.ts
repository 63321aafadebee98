/*
 * Packages of names that ours look for and do without, planted where Node looks for packages and an agent can write: our next
 * start runs none of them.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createGatewayRig } from '../support/gateway-rig.ts';

const names = ['bufferutil', 'utf-8-validate', 'pg-native'];

for (const from of ['source', 'bundle']) {
  test(`a start from the ${from} runs no package of the home directory`, async (t) => {
    const rig = createGatewayRig(t);
    const home = rig.env['HOME'] ?? '';
    const ran = join(home, 'ran');
    for (const place of ['.node_modules', '.node_libraries']) {
      for (const name of names) {
        const directory = join(home, place, name);
        mkdirSync(directory, { recursive: true });
        const code = `require('node:fs').appendFileSync(${JSON.stringify(ran)}, '${name} ')`;
        writeFileSync(join(directory, 'index.js'), code);
      }
    }
    rig.env['CLAWDFATHER_FROM'] = from;
    const { url } = await rig.serve();
    assert.equal((await rig.clf('login')).code, 0);
    assert.equal((await rig.clf('run', '-g', url, '--', 'echo', 'hello')).stdout, 'hello\n');
    assert.ok(!existsSync(ran));
  });
}
