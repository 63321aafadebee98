/*
 * An agent over MCP on stdio, all of whose commands are allowed, in a site of its own.
 */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { type CliRig, createCliRig } from './cli-process.ts';
import { type Agent, createMcpRig, openPolicy } from './mcp-rig.ts';
import { createShieldSite, type ShieldSite } from './shield-site.ts';

export interface ShieldedAgent extends ShieldSite<CliRig> {
  readonly agent: Agent;
  /* The agent's command, in its project: what it said, whatever came of it. */
  readonly run: (command: string) => Promise<string>;
}

/* `settle` comes before its server starts: settings, and more files. */
export async function createShieldedAgent(
  t: TestContext,
  isUser: boolean,
  settle: (site: ShieldSite<CliRig>) => Promise<void> | void = () => {},
): Promise<ShieldedAgent> {
  const site = createShieldSite(t, isUser, createCliRig);
  await settle(site);
  const { wrap, project } = site;
  const agent = await createMcpRig(t, site.rig).connect({ flags: openPolicy, cwd: project, wrap });
  const run = async (command: string): Promise<string> => {
    const line = `exec 2>&1; ${command}`;
    const { data } = await agent.call('exec', { command: line, yieldMs: 120_000 });
    assert.ok(data['status'] === 'completed' || data['status'] === 'failed', JSON.stringify(data));
    return String(data['output']);
  };
  return { ...site, agent, run };
}

/* A line for a shell, as one word. */
export function quoted(line: string): string {
  return `'${line.replaceAll("'", "'\\''")}'`;
}
