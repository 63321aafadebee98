/*
 * Builds the agent that the benchmark streams with.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const source = fileURLToPath(new URL('streaming-agent.c', import.meta.url));
const compiler = process.env['CC'] ?? 'cc';

/* Its path. */
export function buildAgent(directory: string): string {
  const program = join(directory, 'streaming-agent');
  execFileSync(compiler, ['-std=c17', '-O2', '-Wall', '-Wextra', '-o', program, source]);
  return program;
}
