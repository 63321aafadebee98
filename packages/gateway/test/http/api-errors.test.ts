/*
 * The catalogue of refusals against its documentation, both ways.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { apiErrors } from '@clawdfather/protocol/api';

test('docs/api.md lists every code with its status, and no other', () => {
  const page = readFileSync(new URL('../../../../docs/api.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| `(\w+)` +\| (\d{3}) +\|/gm)];
  const documented = rows.map(([, code = '', status = '']) => [code, Number(status)]);
  const known = Object.entries(apiErrors).map(([code, { status }]) => [code, status]);
  assert.deepEqual(documented, known);
});
