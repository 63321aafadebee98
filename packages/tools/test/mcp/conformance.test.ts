/*
 * The protocol's own examination of servers, all of it, in three revisions.
 *
 * The suite is written for an example server with a tool per feature. Ours has two tools, no prompts, and no resources but runs, so
 * checks about others cannot pass; they are listed below by name with the reason. Every other check must pass, and a check
 * that is listed and passes must be taken off the list.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createSystemClock, silentLog } from '@clawdfather/kit';
import { fetchExternal } from '@clawdfather/testkit';
import { serveHttp } from './http-host.ts';

const notForUs: Readonly<Record<string, readonly string[]>> = {
  'calls an example tool that only the suite’s example server has': [
    'tools-call-simple-text',
    'tools-call-image',
    'tools-call-audio',
    'tools-call-embedded-resource',
    'tools-call-mixed-content',
    'tools-call-error',
    'tools-call-with-progress',
    'tools-call-sampling',
    'tools-call-elicitation',
    'json-schema-2020-12-tool-found',
    'elicitation-sep1034-general',
    'elicitation-sep1330-general',
    'sep-2575-server-rejects-undeclared-capability',
    'sep-2575-missing-capability-http-400',
    'sep-2575-http-server-no-independent-requests-on-stream',
    'sep-2575-server-no-log-without-loglevel',
    'sep-2322-elicitation-incomplete',
    'sep-2322-list-roots-incomplete',
    'sep-2322-sampling-incomplete',
    'sep-2322-respect-client-capabilities',
    'sep-2322-multi-round-r1',
    'sep-2322-multiple-inputs-incomplete',
    'sep-2322-request-state-incomplete',
    'sep-2322-result-type-included',
    'sep-2322-reject-tampered-state',
  ],
  'is about parameters that are sent as HTTP headers, of which our tools have none': [
    'sep-2243-server-no-xmcp-tool',
    'sep-2243-server-decode-base64',
    'sep-2243-server-validate-param-match',
    'sep-2243-server-reject-invalid-param-chars',
    'sep-2243-server-reject-param-mismatch',
  ],
  'is about prompts; there are none, and none are announced': [
    'prompts-list',
    'prompts-get-simple',
    'prompts-get-with-args',
    'prompts-get-embedded-resource',
    'prompts-get-with-image',
    'sep-2322-non-tool-incomplete',
    'sep-2549-prompts-list-caching-hints',
  ],
  'is about example resources, or about revisions in which we announce none': [
    'resources-list',
    'resources-read-text',
    'resources-read-binary',
    'resources-templates-read',
    'resources-subscribe',
    'resources-unsubscribe',
  ],
  'is about completion of prompt arguments; not announced': ['completion-complete'],
  'wants a tool that logs while it runs; our log goes to stderr, and only ends of runs to the client':
    ['tools-call-with-logging'],
};

/* What the protocol asks of any server, by the names of the suite's scenarios. */
const protocolScenarios: Readonly<Record<string, readonly string[]>> = {
  '2025-06-18': ['server-initialize', 'ping', 'tools-list', 'logging-set-level'],
  '2025-11-25': [
    'server-initialize',
    'ping',
    'tools-list',
    'logging-set-level',
    'dns-rebinding-protection',
  ],
  '2026-07-28': [
    'server-stateless',
    'tools-list',
    'resources-list',
    'caching',
    'http-header-validation',
    'dns-rebinding-protection',
    'server-sse-multiple-streams',
    'input-required-result-unsupported-methods',
  ],
};

interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
}

const seenFailing = new Set<string>();
const listed = Object.values(notForUs).flat();

for (const [revision, scenarios] of Object.entries(protocolScenarios)) {
  test(`${revision}: every check passes that a server with two tools can pass`, async (t) => {
    const results = await examine(t, revision);
    const checks = [...results.values()].flat();
    const failed = checks.filter(({ status }) => status === 'FAILURE');
    for (const { id } of failed) seenFailing.add(id);
    const unexpected = failed
      .filter(({ id }) => !listed.includes(id))
      .map(({ id, errorMessage }) => `${id}: ${errorMessage ?? ''}`);
    assert.deepEqual(unexpected, []);
    for (const scenario of scenarios) {
      const own = results.get(scenario) ?? [];
      assert.ok(
        own.some(({ status }) => status === 'SUCCESS'),
        `${scenario} was examined`,
      );
    }
  });
}

test('no check is excused that passes by now', () => {
  assert.deepEqual(
    listed.filter((id) => !seenFailing.has(id)),
    [],
  );
});

/* By scenario. The suite exits with failure as soon as one check fails, so its exit code says nothing here. */
async function examine(t: TestContext, revision: string): Promise<Map<string, readonly Check[]>> {
  const url = await serveHttp(t, {
    tools: {
      exec: async () => ({ status: 'denied', rule: 'nothing runs here', by: 'test' }),
      process: async () => ({ action: 'list', runs: [], isMore: false }),
    },
    clock: createSystemClock(),
    log: silentLog,
    version: '0.0.0',
    account: 'local',
    sessionId: 'session',
  });
  const place = await fetchExternal('conformance');
  const program = join(place, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
  const out = mkdtempSync(join(tmpdir(), 'clf-conformance-'));
  t.after(() => rmSync(out, { recursive: true, force: true }));
  const args = ['server', '--url', url.href, '--suite', 'all', '--spec-version', revision];
  await new Promise((resolve) => {
    execFile(process.execPath, [program, ...args, '-o', out], { cwd: out }, resolve);
  });
  return new Map(readdirSync(out).map((name) => [scenarioOf(name), readChecks(join(out, name))]));
}

/* `server-NAME-TIME`. */
function scenarioOf(directory: string): string {
  return directory.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '');
}

function readChecks(directory: string): readonly Check[] {
  return JSON.parse(readFileSync(join(directory, 'checks.json'), 'utf8')) as readonly Check[];
}
