/*
 * What a shield needs to know here: the settings, and where our own files are.
 */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { attachmentsDirOf, type ShieldPlaces, type ShieldSettings } from '@clawdfather/tools';
import type { Config } from '../config.ts';
import { agentsDirectory } from '../config/agents-directory.ts';
import { configDirectory } from '../config/settings.ts';
import { readSecretPaths } from '../gateway/secret-paths.ts';
import { reachBoundsOf } from './reach-bounds.ts';

export function shieldSettingsOf({ values }: Pick<Config, 'values'>): ShieldSettings {
  return {
    mode: values['shield.mode'],
    hide: values['shield.hide'],
    open: values['shield.open'],
    write: values['shield.write'],
  };
}

/* Of the checkout or the package: a bundle keeps the places of the sources. */
const ownRoot = fileURLToPath(new URL('../../../../', import.meta.url));

export function shieldPlacesOf(config: Config): ShieldPlaces {
  const { env, stateDir } = config;
  const { home, ours } = reachBoundsOf(config);
  return {
    ownDirectories: [stateDir, configDirectory(config), join(cacheHome(env), 'clawdfather')],
    given: [attachmentsDirOf(stateDir)],
    ours,
    laterOurs: () => readSecretPaths(stateDir),
    programs: [ownRoot.replace(/\/$/, ''), process.execPath, agentsDirectory(config)],
    privateDir: join(stateDir, 'shield'),
    home,
    runtimeDir: runtimeDirOf(env),
    searchPath: env['PATH'] ?? '',
  };
}

/* As the launcher finds it. */
function cacheHome(env: Config['env']): string {
  const own = env['XDG_CACHE_HOME'] ?? '';
  return isAbsolute(own) ? own : join(homedir(), '.cache');
}

/* The user's, whose sockets in it are hidden. */
function runtimeDirOf(env: Config['env']): string | undefined {
  const usual = `/run/user/${process.getuid?.() ?? 0}`;
  return env['XDG_RUNTIME_DIR'] ?? (existsSync(usual) ? usual : undefined);
}
