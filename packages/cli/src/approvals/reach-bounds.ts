/*
 * What starter programs are never let near by the choice of a working tree: the home directory as a whole, and our own files. The
 * settings name more of those (keys, secrets, the control database), and so did those of the gateway.
 */
import type { StarterReachDeps } from '@clawdfather/tools';
import type { Config } from '../config.ts';
import { configDirectory } from '../config/settings.ts';
import { readSecretPaths, secretPathsOf } from '../gateway/secret-paths.ts';

export function reachBoundsOf(config: Config): Pick<StarterReachDeps, 'home' | 'ours'> {
  const { stateDir, env } = config;
  return {
    home: env['HOME'],
    ours: [stateDir, configDirectory(config), ...secretPathsOf(config), ...named(stateDir)],
  };
}

function named(stateDir: string): readonly string[] {
  try {
    return readSecretPaths(stateDir);
  } catch {
    // Where there is a shield, it does not start without them and says why.
    return [];
  }
}
