/*
 * `clf mcp`: its flags decide the settings for agents.
 */
import { settingFlag, valueFlag } from '../args/flag.ts';
import { directory } from '../args/kinds.ts';
import { defineCommand } from '../args/spec.ts';

export const mcpSpec = defineCommand({
  name: 'mcp',
  summary: 'Serve the exec and process tools to an agent over MCP, on stdin and stdout',
  operands: {},
  flags: {
    security: settingFlag('policy.mcp.security', {
      summary: 'which commands may start without a decision (allowlist)',
    }),
    ask: settingFlag('policy.mcp.ask', {
      summary: 'when to ask a person (on-miss); see clf approvals',
    }),
    workdir: valueFlag(directory, {
      short: 'C',
      summary: 'directory for commands that name none (default: this one)',
    }),
  },
  examples: [
    'claude mcp add clawdfather -- clf mcp',
    'clf mcp --security full --ask off -C ~/project',
  ],
});
