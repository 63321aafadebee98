/*
 * Words for writing down an agent: most are the same on every platform, or differ by a name.
 */
import { type Platform, platforms, type ProgramFile } from './agent-entry.ts';

export function everywhere<Value>(value: Value): Readonly<Record<Platform, Value>> {
  return byPlatform(() => value);
}

export function byPlatform<Value>(
  make: (platform: Platform) => Value,
): Readonly<Record<Platform, Value>> {
  const made = platforms.map((platform) => [platform, make(platform)] as const);
  return Object.fromEntries(made) as Record<Platform, Value>;
}

/** For makers whose programs do not care about AVX2. */
export function machineOf(platform: Platform): 'linux-x64' | 'linux-arm64' {
  return platform === 'linux-x64-baseline' ? 'linux-x64' : platform;
}

export function script(path: string): ProgramFile {
  return { kind: 'script', path };
}

export function native(path: string): ProgramFile {
  return { kind: 'native', path };
}
