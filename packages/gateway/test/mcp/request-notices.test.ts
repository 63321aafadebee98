/*
 * A call over HTTP has told what it says when its answer went out, and nothing when it did not.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog } from '@clawdfather/kit';
import { createExitNotices, type ExitNotices } from '@clawdfather/tools/mcp';
import { type McpRequest, withRequest } from '../../src/mcp/mcp-request.ts';
import { noticesOfRequest, noticesOfSession } from '../../src/mcp/request-notices.ts';

const exit = { reason: 'exit', code: 0, cursor: 'end', durationMs: 1 };

function createNotices(): ExitNotices {
  return createExitNotices({
    waitForEnd: async () => ({ kind: 'exit', command: 'true', exit }) as never,
    push: async () => {},
    log: silentLog,
  });
}

let requests = 0;

function createRequest() {
  requests += 1;
  const listeners: ((isDelivered: boolean) => void)[] = [];
  return {
    request: {
      serial: requests,
      onDone: (listener) => void listeners.push(listener),
    } as McpRequest,
    done: (isDelivered: boolean) => {
      for (const listener of listeners) listener(isDelivered);
    },
  };
}

const kinds: Readonly<Record<string, (all: ExitNotices, request: McpRequest) => ExitNotices>> = {
  'a session': noticesOfSession,
  'a request of its own': noticesOfRequest,
};

for (const [kind, noticesOf] of Object.entries(kinds)) {
  test(`${kind}: an end in an answer that never arrived is in the next one; once it arrived, in none`, async () => {
    const all = createNotices();
    all.follow('run');
    await Promise.resolve();
    // Ids may repeat: each of these is a request of another process, or comes after the one before.
    const call = (isDelivered: boolean): readonly string[] => {
      const { request, done } = createRequest();
      return withRequest(request, () => {
        const notices = noticesOf(all, request);
        notices.begin(7);
        const carried = notices.carry(7).map(({ runId }) => runId);
        done(isDelivered);
        return carried;
      });
    };
    assert.deepEqual(call(false), ['run']);
    assert.deepEqual(call(true), ['run']);
    assert.deepEqual(call(true), []);
    all.close();
  });
}

test('two requests with the same id at the same time are two calls', async () => {
  const all = createNotices();
  const [one, two] = [createRequest(), createRequest()];
  const first = noticesOfRequest(all, one.request);
  const second = noticesOfRequest(all, two.request);
  first.begin(1, 'run');
  second.begin(1);
  all.follow('run');
  await Promise.resolve();
  // The first one is about the run, and its answer may tell.
  assert.deepEqual(second.carry(1), []);
  two.done(true);
  first.tell(1, { tells: ['run'], follows: [] });
  one.done(true);
  const three = createRequest();
  const third = noticesOfRequest(all, three.request);
  third.begin(1);
  assert.deepEqual(third.carry(1), []);
  all.close();
});
