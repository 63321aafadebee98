/*
 * Stream loops: browser-safe packages read streams by their readers.
 */
import { test } from 'node:test';
import { checkStreamLoops } from '../rules/stream-loops.ts';
import { assertAccepted, assertObeyed, assertRefused } from './assertions.ts';

test('the repository reads streams in a way that every browser knows', () => {
  assertObeyed(checkStreamLoops);
});

test('a loop over what may be a stream is refused in browser-safe packages', () => {
  assertRefused(
    checkStreamLoops,
    {
      'packages/sdk/src/a.ts': 'for await (const piece of response.body) use(piece);',
      'packages/kit/src/b.ts': 'for await (const piece of body.pipeThrough(decoder)) use(piece);',
      'packages/protocol/src/c.ts': 'for await (const { id, data = "" } of events) use(id, data);',
      'packages/sdk/src/d.ts': 'for await (const one of readAll(body)) use(one);',
    },
    [/a\.ts/, /b\.ts/, /c\.ts/, /d\.ts/],
  );
});

test('generators of the package, other packages and tests may be looped over', () => {
  assertAccepted(checkStreamLoops, {
    'packages/sdk/src/a.ts':
      'async function* readAll() {}\nfor await (const one of readAll(body)) use(one);',
    'packages/gateway/src/a.ts': 'for await (const piece of body) use(piece);',
    'packages/sdk/test/a.test.ts': 'for await (const piece of body) use(piece);',
    'packages/sdk/src/b.ts': '// for await (const event of terminal)\nexport const b = 1;',
  });
});
