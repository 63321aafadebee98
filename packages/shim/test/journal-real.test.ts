/*
 * Journals as the real shim writes them: every CRC checked, segments, caps,
 * and a reader that follows a flood (J1, J2, J3).
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { createSignalBell } from '@clawdfather/kit';
import { createChunkPool, type JournalPosition, journalStart } from '../src/index.ts';
import { openJournalReader, type RunEvent, scanJournal, startShimDirect } from '../src/index.ts';
import { binaryPath, createEventLog, createProcessRig, readAll } from './process-rig.ts';

const options = { timeout: 120_000 };
const megabyte = 1024 * 1024;

/* `seq` says its own length: every byte is known. */
const flood = (lines: number): readonly [string, ...string[]] => ['seq', String(lines)];

function floodHash(lines: number): string {
  const hash = createHash('sha256');
  let text = '';
  for (let line = 1; line <= lines; line += 1) {
    text += `${line}\n`;
    if (text.length > megabyte || line === lines) {
      hash.update(text);
      text = '';
    }
  }
  return hash.digest('hex');
}

test(
  'a flood is followed live over segments, every byte once and every CRC right',
  options,
  async (t) => {
    const rig = createProcessRig(t);
    const lines = 8_000_000;
    const bell = createSignalBell();
    let isOver = false;
    const request = rig.request(flood(lines), {
      journal: { mode: 'ring', bytesMax: 2 ** 32, segmentBytes: 8 * megabyte },
    });
    startShimDirect(request, {
      binaryPath,
      onEvent: (event: RunEvent) => {
        isOver ||= event.type === 'end' || event.type === 'lost';
        bell.ring();
      },
    });
    const hash = createHash('sha256');
    const pool = createChunkPool();
    const deps = { shimAlive: () => !isOver, pool };
    await using reader = openJournalReader(request.runDir, deps);
    let at: JournalPosition = journalStart;
    for (;;) {
      const read = await reader.read(at);
      if (read.kind === 'closed') break;
      if (read.kind === 'nothing') {
        await bell.wait();
        continue;
      }
      assert.ok(read.kind === 'frames', read.kind);
      for (const frame of read.frames) if (frame.kind === 'output') hash.update(frame.payload);
      at = read.next;
      read.release();
    }
    assert.equal(hash.digest('hex'), floodHash(lines));
  },
);

test('a ring keeps what fits; readers see a gap and then the newest', options, async (t) => {
  const rig = createProcessRig(t);
  const log = createEventLog();
  const bytesMax = 8 * megabyte;
  const request = rig.request(flood(4_000_000), {
    journal: { mode: 'ring', bytesMax, segmentBytes: 2 * megabyte },
  });
  startShimDirect(request, { binaryPath, onEvent: log.onEvent });
  const { journal } = await log.until('end');
  assert.equal(journal, undefined, 'a large journal does not travel');
  const scan = scanJournal(request.runDir);
  assert.ok(scan.oldestOffset > 0);
  assert.ok(scan.endOffset - scan.oldestOffset <= bytesMax + megabyte);
  assert.equal(scan.end?.isFinal, true);
  const all = await readAll(request.runDir);
  assert.deepEqual(all.last, {
    kind: 'gap',
    from: journalStart,
    to: { offset: scan.oldestOffset, payloadOffset: 0 },
  });
});

test(
  'a held journal blocks the command until what was read is declared consumed',
  options,
  async (t) => {
    const rig = createProcessRig(t);
    const lines = 2_000_000;
    const log = createEventLog();
    const request = rig.request(flood(lines), {
      journal: { mode: 'hold', bytesMax: 4 * megabyte, segmentBytes: megabyte },
    });
    startShimDirect(request, { binaryPath, onEvent: log.onEvent });
    await log.until('blocked');
    const control = await rig.control(request.runDir);
    assert.equal(control.hello.isBlocked, true);
    const hash = createHash('sha256');
    await using reader = openJournalReader(request.runDir, {
      shimAlive: () => !log.events.some((event) => event.type === 'end'),
    });
    let at: JournalPosition = journalStart;
    let isClosed = false;
    while (!isClosed) {
      const read = await reader.read(at);
      assert.notEqual(read.kind, 'gap');
      assert.notEqual(read.kind, 'tail-lost');
      isClosed = read.kind === 'closed';
      if (read.kind !== 'frames') {
        await new Promise((resolve) => setImmediate(resolve));
        continue;
      }
      for (const frame of read.frames) if (frame.kind === 'output') hash.update(frame.payload);
      at = read.next;
      /* The shim may be gone by then: its end needs nobody's consent. */
      await control.request({ type: 'consumed', epoch: 1, offset: at.offset }).catch(() => {});
    }
    const { exit } = await log.until('end');
    assert.equal(exit.code, 0);
    assert.equal(exit.undrainedBytes, 0);
    assert.equal(hash.digest('hex'), floodHash(lines));
  },
);
