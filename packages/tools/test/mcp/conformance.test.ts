/*
 * The protocol's own examination of servers, all of it, in three revisions.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSystemClock, silentLog } from '@clawdfather/kit';
import { examineMcpServer, excusedChecks, protocolScenarios } from '@clawdfather/testkit';
import { serveHttp } from './http-host.ts';

const seenFailing = new Set<string>();

for (const [revision, scenarios] of Object.entries(protocolScenarios)) {
  test(`${revision}: every check passes that a server with two tools can pass`, async (t) => {
    const url = await serveHttp(t, {
      tools: {
        exec: async () => ({
          status: 'denied',
          cause: 'policy',
          rule: 'nothing runs here',
          by: 'test',
        }),
        process: async () => ({ action: 'list', runs: [], isMore: false }),
      },
      clock: createSystemClock(),
      log: silentLog,
      version: '0.0.0',
      account: 'local',
      sessionId: 'session',
    });
    const examined = await examineMcpServer(url.href, revision);
    for (const id of examined.failed) seenFailing.add(id);
    assert.deepEqual(examined.unexpected, []);
    for (const scenario of scenarios) {
      const own = examined.scenarios.get(scenario) ?? [];
      assert.ok(
        own.some(({ status }) => status === 'SUCCESS'),
        `${scenario} was examined`,
      );
    }
  });
}

test('no check is excused that passes by now', () => {
  assert.deepEqual(
    excusedChecks.filter((id) => !seenFailing.has(id)),
    [],
  );
});
