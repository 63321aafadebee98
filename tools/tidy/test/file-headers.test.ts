/*
 * File headers: present, first, and more than a name.
 */
import { test } from 'node:test';
import { checkFileHeaders } from '../rules/file-headers.ts';
import { assertAccepted, assertObeyed, assertRefused } from './assertions.ts';

test('every file of the repository explains itself', () => {
  assertObeyed(checkFileHeaders);
});

test('a block, lines, and a block after a shebang are accepted', () => {
  assertAccepted(checkFileHeaders, {
    'a.ts': '/*\n * Turns one thing into another thing, twice.\n */\nexport {};\n',
    'b.c': '// Turns one thing into another\n// thing, twice a day.\nint x;\n',
    'c.js': '#!/usr/bin/env node\n/* Turns one thing into another thing. */\n',
    'd.json': '{}',
    'e.c': '/* See e.h. */\n',
    'e.h': '/* Turns one thing into another thing, twice. */\n',
  });
});

test('no header, a late header and an empty phrase are refused', () => {
  assertRefused(
    checkFileHeaders,
    {
      'a.ts': 'export {};\n',
      'b.h': '#pragma once\n/* Turns one thing into another thing, twice. */\n',
      'c.ts': '/* Helpers. */\n',
      'd.c': '/* See gone.h. */\n',
    },
    [
      /a\.ts: does not open/,
      /b\.h: does not open/,
      /c\.ts: has a header of 1 words/,
      /d\.c: has a header/,
    ],
  );
});
