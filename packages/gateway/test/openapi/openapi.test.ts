/*
 * The document that programs read: valid, complete, and the page made from it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { api } from '@clawdfather/protocol/api';
import { buildOpenApi } from '../../src/openapi/build-openapi.ts';
import { describeRpc } from '../../src/openapi/describe-rpc.ts';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';

interface Document {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, { operationId: string; responses: object }>>;
  readonly components: { readonly schemas: Record<string, unknown> };
}

const groups = { ...api, rpc: describeRpc() };
const build = () => buildOpenApi({ version: '1', groups }) as unknown as Document;

test('every endpoint of the table is in the document, under a name of its own', () => {
  const { paths } = build();
  const ids = Object.values(paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  );
  const expected = Object.entries(groups).flatMap(([group, endpoints]) =>
    Object.keys(endpoints).map((name) => `${group}.${name}`),
  );
  assert.deepEqual(ids.toSorted(), expected.toSorted());
});

test('every reference leads to a component', () => {
  const document = build();
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(
    ([, target = '']) => target,
  );
  assert.ok(references.length > 0);
  for (const target of references) {
    const name = /^#\/components\/schemas\/(.+)$/.exec(target)?.[1] ?? '';
    assert.ok(name in document.components.schemas, target);
  }
});

test("the standard's own schema finds nothing wrong with it", async () => {
  const { valid, errors } = await new Validator().validate({ ...build() });
  assert.deepEqual([valid, errors ?? []], [true, []]);
});

test('nothing in it is of another dialect of JSON schema', () => {
  const text = JSON.stringify(build());
  for (const word of ['$defs', '$schema', '"id":"']) assert.ok(!text.includes(word), word);
});

test('both are served to anybody, and the page runs no script', async () => {
  await using rig = await openTestGateway();
  const json = await fetch(new URL('/api/openapi.json', rig.url));
  const document = (await json.json()) as Document;
  assert.equal(document.openapi, '3.1.0');
  const page = await fetch(new URL('/api/docs', rig.url));
  const html = await page.text();
  assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/);
  assert.doesNotMatch(html, /<script/);
  for (const path of Object.keys(document.paths)) assert.ok(html.includes(path), path);
});

test('the page shows what is answered, and every link in it leads somewhere', async () => {
  await using rig = await openTestGateway();
  const html = await (await fetch(new URL('/api/docs', rig.url))).text();
  assert.ok(html.includes('Answer:</p><pre>'));
  assert.ok(html.includes('<code>validation_error</code>: the request'));
  assert.deepEqual(/.{0,80}undefined.{0,20}/.exec(html), null);
  const targets = new Set([...html.matchAll(/ href="#([^"]+)"/g)].map(([, target]) => target));
  assert.ok(targets.has('shape-Run'));
  for (const target of targets) assert.ok(html.includes(` id="${target}"`), target);
});
