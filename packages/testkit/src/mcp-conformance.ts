/*
 * The protocol's own examination of MCP servers, for every server of ours.
 *
 * The suite is written for an example server with a tool per feature. Ours has two tools, no prompts, and no resources but runs, so
 * checks about others cannot pass; they are listed below by name with the reason. Every other check must pass, and a check
 * that is listed and passes must be taken off the list.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fetchExternal } from './external-program.ts';

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

/* What the protocol asks of any server, by revision and the names of the suite's scenarios. */
export const protocolScenarios: Readonly<Record<string, readonly string[]>> = {
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

/* Names of checks that a server with two tools cannot pass. */
export const excusedChecks: readonly string[] = Object.values(notForUs).flat();

export interface ConformanceCheck {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
}

export interface Examination {
  readonly scenarios: ReadonlyMap<string, readonly ConformanceCheck[]>;
  /* Names of all checks that failed. */
  readonly failed: readonly string[];
  /* Of those, the ones that no reason is known for, with what the suite says about them. */
  readonly unexpected: readonly string[];
}

/* The suite exits with failure as soon as one check fails, so its exit code says nothing here. */
export async function examineMcpServer(url: string, revision: string): Promise<Examination> {
  const place = await fetchExternal('conformance');
  const program = join(place, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
  const out = await mkdtemp(join(tmpdir(), 'clf-conformance-'));
  try {
    const args = ['server', '--url', url, '--suite', 'all', '--spec-version', revision];
    await new Promise((resolve) => {
      execFile(process.execPath, [program, ...args, '-o', out], { cwd: out }, resolve);
    });
    const scenarios = new Map<string, readonly ConformanceCheck[]>();
    for (const name of await readdir(out)) {
      scenarios.set(scenarioOf(name), await readChecks(join(out, name)));
    }
    return examinationOf(scenarios);
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}

function examinationOf(scenarios: ReadonlyMap<string, readonly ConformanceCheck[]>): Examination {
  const failed = [...scenarios.values()].flat().filter(({ status }) => status === 'FAILURE');
  const unexpected = failed
    .filter(({ id }) => !excusedChecks.includes(id))
    .map(({ id, errorMessage }) => `${id}: ${errorMessage ?? ''}`);
  return { scenarios, failed: failed.map(({ id }) => id), unexpected };
}

/* `server-NAME-TIME`. */
function scenarioOf(directory: string): string {
  return directory.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '');
}

async function readChecks(directory: string): Promise<readonly ConformanceCheck[]> {
  return JSON.parse(await readFile(join(directory, 'checks.json'), 'utf8'));
}
