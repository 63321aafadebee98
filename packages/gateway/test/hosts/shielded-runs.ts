/* Settings for a gateway whose runs have a shield, with a state directory of the test's own. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { readConfinementSupport, shimBinaryPath } from '@clawdfather/supervisor';
import type { RunsConfig } from '../../src/gateway-config.ts';

const { landlock, hasNamespaces } = await readConfinementSupport(shimBinaryPath());
export const noShield = !(landlock >= 6 && hasNamespaces) && 'the whole shield cannot be had here';

export function shieldedRuns(t: TestContext): Partial<RunsConfig> {
  const state = mkdtempSync(join(tmpdir(), 'clf-shield-'));
  t.after(() => rmSync(state, { recursive: true, force: true }));
  const settings = { mode: 'on', hide: [], open: ['tmp'], write: [] } as const;
  const places = {
    ownDirectories: [state],
    given: [],
    ours: [],
    programs: [],
    privateDir: join(state, 'shield'),
    home: undefined,
    runtimeDir: undefined,
    searchPath: '/usr/bin:/bin',
  };
  return { shield: { settings, places } };
}
