/*
 * `clf mcp` as data: its flags, which decide the settings for agents, and its help.
 */
import type { CommandSpec } from '../args/spec.ts';

export const mcpSpec: CommandSpec = {
  name: 'mcp',
  summary: 'Serve exec and process to an agent over MCP, on stdin and stdout',
  usage: '[flags]',
  operands: { min: 0, max: 0 },
  flags: [
    {
      name: 'security',
      value: 'full|allowlist|deny',
      setting: 'policy.mcp.security',
      summary: 'what may start without anybody being asked (allowlist)',
    },
    {
      name: 'ask',
      value: 'off|on-miss|always',
      setting: 'policy.mcp.ask',
      summary: 'when a person is asked (on-miss); see: clf approvals',
    },
    {
      name: 'workdir',
      short: 'C',
      value: 'DIR',
      summary: 'where commands run that name no directory (this one)',
    },
  ],
  examples: [
    'claude mcp add clawdfather -- npx clawdfather mcp',
    'clf mcp --security full --ask off -C ~/project',
  ],
};
