/*
 * The gateway's `/mcp` in the protocol's own examination: sessions, streams, headers and all that only HTTP has, beside what the
 * tools' own server is examined for.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { examineMcpServer, protocolScenarios } from '@clawdfather/testkit';
import { openBearerProxy } from './bearer-proxy.ts';
import { openMcpRig } from './rig.ts';

/* Those that are about streams or sessions, and need a server that has them. */
const ofHttp: Readonly<Record<string, readonly string[]>> = {
  '2025-06-18': [],
  '2025-11-25': ['server-session-lifecycle', 'server-sse-multiple-streams'],
  '2026-07-28': ['sep-2164-resource-not-found'],
};

for (const [revision, scenarios] of Object.entries(protocolScenarios)) {
  test(`${revision}: every check passes that a server with two tools can pass`, async () => {
    await using rig = await openMcpRig({ runs: { agentPolicy: { security: 'deny', ask: 'off' } } });
    const { token } = await rig.makeToken();
    await using proxy = await openBearerProxy(rig.url, token);
    const examined = await examineMcpServer(proxy.url, revision);
    assert.deepEqual(examined.unexpected, []);
    for (const scenario of [...scenarios, ...(ofHttp[revision] ?? [])]) {
      const own = examined.scenarios.get(scenario) ?? [];
      assert.ok(
        own.some(({ status }) => status === 'SUCCESS'),
        `${scenario} was examined`,
      );
    }
  });
}
