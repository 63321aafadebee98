/*
 * `clf version`: ours, Node's, and the platform, as a bug report wants them.
 */
import { readFileSync } from 'node:fs';
import type { CommandContext } from '../command.ts';
import { codeStatus, type ExitStatus, exitOk } from '../exit-status.ts';
import { jsonLine } from '../render/run-json.ts';

export async function execute(context: CommandContext): Promise<ExitStatus> {
  const version = readVersion();
  const { node } = process.versions;
  const platform = `${process.platform}-${process.arch}`;
  await context.io.stdout.write(
    context.isJson
      ? jsonLine({ version, node, platform })
      : `clawdfather ${version} (node ${node}, ${platform})\n`,
  );
  return codeStatus(exitOk);
}

/* From the package's own manifest, which lies beside src and dist alike. */
export function readVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const manifest: unknown = JSON.parse(text);
  const isManifest = typeof manifest === 'object' && manifest !== null && 'version' in manifest;
  return isManifest ? String(manifest.version) : 'unknown';
}
