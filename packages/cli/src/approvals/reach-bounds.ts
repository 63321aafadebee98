/*
 * What starter programs are never let near by the choice of a working tree: the home directory as a whole, and our own files. The
 * settings name more of those: keys, secrets, the control database.
 */
import type { StarterReachDeps } from '@clawdfather/tools';
import type { Config } from '../config.ts';
import { configDirectory } from '../config/settings.ts';

export function reachBoundsOf(config: Config): Pick<StarterReachDeps, 'home' | 'ours'> {
  const { values, stateDir, env } = config;
  const named = [
    values['gateway.masterKeysDir'],
    values['gateway.database.path'],
    values['gateway.database.urlFile'],
    values['gateway.tls.key'],
    values['gateway.github.clientSecretFile'],
  ].filter((path) => path !== undefined);
  return {
    home: env['HOME'],
    ours: [stateDir, configDirectory(config), ...named],
  };
}
