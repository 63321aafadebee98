/*
 * The table of events in docs/observability.md and the events in the sources, both ways: whoever reads a log finds what a line
 * means, and no row speaks of something that is no longer written.
 */
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { documentedEvents } from '../../src/observe/log-events.ts';

const root = new URL('../../../../', import.meta.url);
/* What may log into a gateway's log. */
const sources =
  'packages/{gateway/src/**/*,supervisor/src/**/*,ssh/src/**/*,threads/src/**/*,tools/src/**/*,cli/src/commands/serve}.ts';
/* A call on whatever is a log, and every literal before its fields: `log.event(isThere ? 'a.b' : 'a.c', {`. */
const calls = /(?:\.(?:event|debug|warn|error)|\blog\[[^\]]+\])\(([^{,)]*)/g;
/* Not written by a call on a log: the line about lines that were not. */
const written = ['log.dropped'];

test('every event that is logged is in the table, and every row is logged', async () => {
  const inSources = new Set(written);
  for (const path of globSync(sources, { cwd: fileURLToPath(root) })) {
    const text = await readFile(new URL(path, root), 'utf8');
    for (const [, name = ''] of text.matchAll(calls)) {
      for (const [, event = ''] of name.matchAll(/'([a-z][\w.-]*)'/g)) inSources.add(event);
    }
  }
  assert.ok(inSources.size > 40, `${inSources.size} events found`);
  const ours = [...inSources].filter(
    (event) => !event.startsWith('mcp-') && !Object.hasOwn(documentedEvents, event),
  );
  assert.deepEqual(await rowsUnder('### Events'), ours.toSorted());
});

test('the events with fixed details are in a table of their own, with their levels', async () => {
  assert.deepEqual(
    await rowsUnder('**Events with fixed details.**'),
    Object.keys(documentedEvents).toSorted(),
  );
  const page = await readPage();
  for (const [event, level] of Object.entries(documentedEvents)) {
    assert.match(page, new RegExp(`^\\| \`${event}\` +\\| ${level} `, 'm'));
  }
});

/* First cells of the table that follows. */
async function rowsUnder(heading: string): Promise<readonly string[]> {
  const [, after = ''] = (await readPage()).split(heading);
  const [table = ''] = /(?:^\|.*\n)+/m.exec(after) ?? [];
  return [...table.matchAll(/^\| `([\w.-]+)`/gm)].map(([, event = '']) => event).toSorted();
}

function readPage(): Promise<string> {
  return readFile(new URL('docs/observability.md', root), 'utf8');
}
