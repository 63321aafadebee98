/*
 * What clients are shown of the two tools, and what they are told about wrong arguments.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { processActions, processParamsSchema } from '@clawdfather/protocol';
import { processDescription, processFieldTexts } from '../../src/mcp/descriptions.ts';
import type { ObjectSchema } from '../../src/mcp/flat-schema.ts';
import { execInput, execOutput, processInput, processOutput } from '../../src/mcp/tool-schemas.ts';

type Shown = typeof execInput | typeof processInput | typeof execOutput;

function shown(schema: Shown): ObjectSchema {
  return schema['~standard'].jsonSchema.input({
    target: 'draft-2020-12',
  }) as unknown as ObjectSchema;
}

async function told(schema: Shown, value: unknown): Promise<string> {
  const result = await schema['~standard'].validate(value);
  return result.issues?.map(({ message }) => message).join(' ') ?? 'accepted';
}

test('every schema is one flat object, and every argument is explained', () => {
  for (const schema of [execInput, processInput, execOutput, processOutput].map(shown)) {
    assert.equal(schema.type, 'object');
    for (const combined of ['anyOf', 'oneOf', 'allOf', '$ref']) assert.ok(!(combined in schema));
  }
  for (const schema of [execInput, processInput].map(shown)) {
    assert.equal(schema.additionalProperties, false);
    for (const [name, property] of Object.entries(schema.properties)) {
      assert.equal(typeof property['description'], 'string', name);
      assert.ok(!('anyOf' in property), `${name} has one type`);
    }
  }
});

test('the texts name exactly the arguments that there are, and the description every action', () => {
  const names = processParamsSchema.options.flatMap(({ shape }) => Object.keys(shape));
  assert.deepEqual(Object.keys(processFieldTexts).toSorted(), [...new Set(names)].toSorted());
  assert.deepEqual(shown(processInput).required, ['action']);
  for (const action of processActions)
    assert.match(processDescription, new RegExp(`^- ${action}:`, 'm'));
});

test('wrong arguments of exec are answered with what to do', async () => {
  const cases: readonly (readonly [unknown, RegExp])[] = [
    [{}, /exactly one of command and argv/i],
    [{ command: 'ls', argv: ['ls'] }, /exactly one of command and argv/i],
    [{ cmd: 'ls' }, /no "cmd" here; known are: command, argv/],
    [{ command: 'ls', yieldMs: 1 }, /"yieldMs" must be at least 10\./],
    [{ argv: [] }, /"argv" must have at least 1 item\./],
    [{ argv: ['echo', 'a\0b'] }, /"argv": No program can be given a NUL character\./],
    [{ command: 'echo \0' }, /"command": No shell can be given a NUL character\./],
    [{ command: 'ls', yieldMs: '10000' }, /"yieldMs" must be of type number\./],
    [{ command: 'ls', leftovers: 'kill' }, /"leftovers" must be one of: keep, end, fail\./],
    [{ argv: ['ls'], shell: '/bin/bash' }, /argv runs without one/],
    ['ls', /type object/],
  ];
  for (const [value, message] of cases) assert.match(await told(execInput, value), message);
  assert.equal(await told(execInput, { command: 'ls' }), 'accepted');
});

test('wrong arguments of process are answered with what the action takes', async () => {
  const cases: readonly (readonly [unknown, RegExp])[] = [
    [{}, /"action" is missing; it is one of: list, poll, /],
    [{ action: 'read', runId: 'a' }, /"action" cannot be "read"; it is one of: list, /],
    [{ action: 'poll' }, /"runId" is missing\./],
    [{ action: 'poll', id: 'a' }, /no "id" here; known are: action, runId, cursor, waitMs/],
    [{ action: 'kill', runId: 'a', text: 'x' }, /"text" does not belong to kill \(paste: /],
    [{ action: 'resize', runId: 'a', cols: 0, rows: 2 }, /"cols" must be at least 1\./],
    [null, /"action" is missing/],
  ];
  for (const [value, message] of cases) assert.match(await told(processInput, value), message);
  assert.equal(await told(processInput, { action: 'list' }), 'accepted');
});
