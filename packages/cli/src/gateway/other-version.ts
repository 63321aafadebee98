/*
 * A gateway that goes on as another version than this command, as it does after an upgrade: told, with how to restart it.
 */
import { existsSync } from 'node:fs';
import type { Config } from '../config.ts';
import { unitPath } from '../service/systemd.ts';
import type { FoundGateway } from './gateway-file.ts';

/* Undefined: none runs here, or it is the same. */
export function otherVersionOf(found: FoundGateway, ours: string): string | undefined {
  if (found.kind !== 'running' || found.record.version === ours) return undefined;
  return `the gateway is version ${found.record.version}, this command ${ours}`;
}

/* Of whoever started it: systemd, where there is a unit of ours, or a person. */
export function howToRestart(config: Pick<Config, 'env'>): string {
  if (existsSync(unitPath('user', config))) return 'systemctl --user restart clawdfather';
  if (existsSync(unitPath('system', config))) return 'systemctl restart clawdfather';
  return 'clf stop, then clf serve';
}
