/*
 * A real agent for a gateway, in a home of its own, with a model on this machine. Installations are kept in the cache directory and shared.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import {
  builtInAgents,
  findEntry,
  installAgent,
  readPlatform,
  resolveAgent,
} from '@clawdfather/agents';
import { createSystemRandom } from '@clawdfather/kit';
import { type FakeModel, type FakeModelAgent, fakeModelSetting } from '@clawdfather/testkit';

const cache = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'clawdfather');

export async function setUpRealAgent(t: TestContext, name: FakeModelAgent, model: FakeModel) {
  const installed = await installAgent(findEntry(name, builtInAgents), {
    directory: join(cache, 'agents'),
    platform: readPlatform(),
    node: process.execPath,
    env: process.env,
    random: createSystemRandom(),
  });
  // Not below /tmp: codex runs no tool there.
  const home = mkdtempSync(join(cache, 'home-'));
  t.after(() => rmSync(home, { recursive: true, maxRetries: 5 }));
  const cwd = join(home, 'work');
  mkdirSync(cwd);
  const setting = fakeModelSetting(name, { url: model.url, home });
  for (const [path, text] of Object.entries(setting.files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  const { argv, env } = resolveAgent(name, {}, installed);
  const path = `${dirname(process.execPath)}:/usr/bin:/bin`;
  const agent = {
    name: 'real',
    command: argv as [string, ...string[]],
    env: { HOME: home, PATH: path, ...env, ...setting.env },
  };
  return { agents: { named: [agent] }, cwd, home, installation: installed.place };
}

/* Whatever an agent starts has its home in the environment. */
export function processesAtHome(home: string): readonly string[] {
  const isOfIt = (pid: string): boolean => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`HOME=${home}`);
    } catch {
      // Gone, or of a kind that cannot be looked into.
      return false;
    }
  };
  return readdirSync('/proc').filter((entry) => /^[0-9]+$/.test(entry) && isOfIt(entry));
}
