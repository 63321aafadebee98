/*
 * Check of the settings: a file with a mistake, which keeps commands that start something from working; and what was
 * perhaps forgotten.
 */
import type { Config } from '../config.ts';
import type { SettingKey } from '../config/settings.ts';
import type { Finding } from './finding.ts';

export function checkConfig({
  values,
  origins,
  fileFault,
}: Pick<Config, 'values' | 'origins' | 'fileFault'>): Finding {
  const check = 'config';
  if (fileFault !== undefined) {
    return {
      check,
      status: 'fail',
      summary: fileFault.message,
      advice: 'Until it is mended nothing can be started: clf config check',
    };
  }
  const kinds = Object.values(origins).map(({ kind }) => kind);
  const count = (kind: string): number => kinds.filter((one) => one === kind).length;
  const chosen = `${count('file')} settings from the file, ${count('environment')} from the environment`;
  // One word in a file opens the door to whatever an agent is talked into.
  const isOpen = values['policy.mcp.security'] === 'full' && values['policy.mcp.ask'] === 'off';
  if (!isOpen) return { check, status: 'ok', summary: chosen };
  const open: readonly SettingKey[] = ['policy.mcp.security', 'policy.mcp.ask'];
  return {
    check,
    status: 'warn',
    summary: 'agents may start anything over MCP, and nobody is asked',
    advice: `If that is not meant: clf config show ${open.join(' ')}`,
  };
}
