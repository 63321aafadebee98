/*
 * Which of the builds of an agent's program runs on this machine.
 */
import { readFileSync } from 'node:fs';
import { AgentsError } from '../errors.ts';
import type { Platform } from './agent-entry.ts';

export function readPlatform(): Platform {
  const { platform, arch } = process;
  if (platform === 'linux' && arch === 'arm64') return 'linux-arm64';
  if (platform === 'linux' && arch === 'x64') return hasAvx2() ? 'linux-x64' : 'linux-x64-baseline';
  throw new AgentsError(
    'agent-platform-unsupported',
    `agents cannot be installed on ${platform} ${arch}`,
    { detail: { platform, arch }, hint: 'configure a command that is there: agents.NAME.command' },
  );
}

function hasAvx2(): boolean {
  try {
    return /^flags\s*:.*\bavx2\b/m.test(readFileSync('/proc/cpuinfo', 'utf8'));
  } catch {
    // Unknown: the build for older processors runs on all of them.
    return false;
  }
}
