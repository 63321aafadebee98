/*
 * The files of a turn: edits folded, hunks that lead from the old text to the new one, and nothing that takes long.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endTurn, gate, onPrompt, toolCall, toolCallUpdate } from '@clawdfather/testkit';
import fc from 'fast-check';
import { isEndOf } from '../../agents/talk.ts';
import { collectEdits } from '../../../src/history/changes/collect-edits.ts';
import { diffFile, type FileHunk, linesShown } from '../../../src/history/changes/diff-file.ts';
import { pageHunks } from '../../../src/history/changes/page-hunks.ts';
import { showPath } from '../../../src/history/changes/show-changes.ts';
import { openScriptedTalk } from '../scripted-talk.ts';

function toolEvent(seq: number, payload: object) {
  return { seq, turnId: 't', type: 'tool', payload: { ...payload } } as never;
}

function told(
  seq: number,
  id: string,
  diffs: readonly (readonly [string, string | null, string])[],
) {
  const content = diffs.map(([path, oldText, newText]) => ({
    type: 'diff',
    path,
    oldText,
    newText,
  }));
  return toolEvent(seq, { toolCallId: id, status: 'completed', content });
}

test('edits that follow on are one, others stand beside each other, and what failed is none', () => {
  const files = collectEdits([
    told(1, 'a', [['/f', 'one', 'two']]),
    told(2, 'b', [['/f', 'two', 'three']]),
    told(3, 'c', [['/f', 'elsewhere', 'changed']]),
    toolEvent(4, { toolCallId: 'd', content: [{ type: 'diff', path: '/g', newText: 'x' }] }),
    toolEvent(5, { toolCallId: 'd', status: 'failed' }),
    toolEvent(6, { toolCallId: 'e', content: [{ type: 'diff', path: '/h', newText: 'draft' }] }),
    toolEvent(7, { toolCallId: 'e', content: [{ type: 'diff', path: '/h', newText: 'final' }] }),
    toolEvent(8, { toolCallId: 'f', content: 'no list' }),
    toolEvent(9, { content: [{ type: 'diff', path: 7 }, null, 'odd'] }),
  ]);
  assert.deepEqual(files, [
    {
      path: '/f',
      edits: [
        { before: 'one', after: 'three' },
        { before: 'elsewhere', after: 'changed' },
      ],
      isDone: true,
      lastSeq: 3,
    },
    { path: '/h', edits: [{ before: undefined, after: 'final' }], isDone: false, lastSeq: 7 },
  ]);
});

/* The new text, from the old one and the hunks. */
function applied(before: string, hunks: readonly FileHunk[]): string[] {
  const old = before.split('\n');
  const out: string[] = [];
  let at = 0;
  for (const { oldStart, oldLines, lines } of hunks) {
    const start = oldLines === 0 ? oldStart : oldStart - 1;
    out.push(...old.slice(at, start));
    out.push(...lines.filter((line) => ' +'.includes(line[0] ?? '')).map((line) => line.slice(1)));
    at = start + oldLines;
  }
  return [...out, ...old.slice(at)];
}

const someText = fc
  .array(fc.constantFrom('a', 'b', 'c', '', '  ', '\u202e'), { maxLength: 40 })
  .map((lines) => `${lines.join('\n')}\n`);

test('hunks lead from the old text to the new one, in pages of any size', () => {
  fc.assert(
    fc.property(someText, someText, fc.integer({ min: 1, max: 9 }), (before, after, limit) => {
      const diff = diffFile({ edits: [{ before, after }] });
      assert.ok(diff.kind === 'text');
      assert.deepEqual(applied(before, diff.hunks), after.split('\n'));
      const lines: string[] = [];
      const pieces: FileHunk[] = [];
      for (let offset: number | undefined = 0; offset !== undefined; ) {
        const page = pageHunks(diff.hunks, { offset, limit });
        pieces.push(...page.hunks);
        lines.push(...page.hunks.flatMap((hunk) => hunk.lines));
        offset = page.nextOffset;
      }
      assert.deepEqual(
        lines,
        diff.hunks.flatMap((hunk) => hunk.lines),
      );
      const whole = pieces.filter(({ oldLines, newLines }) => oldLines > 0 && newLines > 0);
      for (const { oldStart, oldLines, lines: shown } of whole) {
        const side = shown
          .filter((line) => ' -'.includes(line[0] ?? ''))
          .map((line) => line.slice(1));
        assert.deepEqual(before.split('\n').slice(oldStart - 1, oldStart - 1 + oldLines), side);
      }
    }),
  );
});

test('binary, too large and too different are told as such', () => {
  const binary = diffFile({ edits: [{ before: undefined, after: 'PNG\0\0' }] });
  assert.ok(binary.kind === 'binary' && binary.bytes === 5);
  const large = diffFile({ edits: [{ before: '', after: 'x\n'.repeat(1_000_000) }] });
  assert.ok(large.kind === 'too_large' && large.lines.length === linesShown);
  const line = diffFile({ edits: [{ before: '', after: 'y'.repeat(2_000_000) }] });
  assert.equal(line.kind, 'too_large');
  const before = Array.from({ length: 15_000 }, (_, index) => `old ${index * 7}`).join('\n');
  const after = Array.from({ length: 15_000 }, (_, index) => `new ${index * 11}`).join('\n');
  const different = diffFile({ edits: [{ before, after }] });
  assert.equal(different.kind, 'too_large');
});

test('a path is seen from the directory, and nothing in it is hidden', () => {
  assert.equal(showPath('/project/src/a.ts', '/project'), 'src/a.ts');
  assert.equal(showPath('/project2/a.ts', '/project'), '/project2/a.ts');
  assert.equal(showPath('/project/../etc/passwd', '/project'), '/project/../etc/passwd');
  assert.equal(showPath('/project', '/project'), '/project');
  assert.equal(showPath('../x', '/project'), '../x');
  assert.equal(showPath('/project/..a', '/project'), '..a');
  assert.equal(showPath('/project/a\u202eb\n', '/project'), 'a\\u202eb\\n');
});

test('the changes of a turn over the API: files with counts, hunks by page, nothing of other turns', async (t) => {
  const long = Array.from({ length: 900 }, (_, index) => `line ${index}\n`).join('');
  const diff = (path: string, oldText: string | null, newText: string) => ({
    content: [{ type: 'diff', path, oldText, newText }],
  });
  await using talking = await openScriptedTalk(t, [
    onPrompt([
      toolCall('a', 'edit', diff('/f.txt', 'a\nb\n', 'a\nc\u202e\n')),
      toolCallUpdate('a', { status: 'completed' }),
      toolCall('b', 'write', { ...diff('/long.txt', null, long), status: 'completed' }),
      endTurn(),
    ]),
    onPrompt([endTurn()]),
    gate('never'),
  ]);
  const { talk, me } = talking;
  const turn = await talk.say('edit');
  await talk.until(isEndOf(turn));
  const { body } = await me.get(`turns/${turn}/changes`);
  assert.deepEqual(
    body['files'].map(({ n, path, kind, added, removed, is_done }: never) => [
      n,
      path,
      kind,
      added,
      removed,
      is_done,
    ]),
    [
      [1, '/f.txt', 'text', 1, 1, true],
      [2, '/long.txt', 'text', 900, 0, true],
    ],
  );
  const { body: file } = await me.get(`turns/${turn}/changes/1`);
  assert.deepEqual(file['hunks'][0].lines, [' a', '-b', '+c\\u202e']);
  const { body: page } = await me.get(`turns/${turn}/changes/2`);
  assert.deepEqual([page['hunks'][0].lines.length, page['next_offset']], [400, 400]);
  const { body: last } = await me.get(`turns/${turn}/changes/2?offset=800`);
  assert.deepEqual([last['hunks'][0].new_start, last['next_offset']], [801, null]);
  assert.equal((await me.get(`turns/${turn}/changes/3`)).status, 404);
  const other = await talk.say('nothing');
  await talk.until(isEndOf(other));
  assert.deepEqual((await me.get(`turns/${other}/changes`)).body['files'], []);
});
