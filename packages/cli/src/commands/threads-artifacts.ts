/*
 * `clf threads artifacts` and `clf threads download`: what turns have left (docs/artifacts.md).
 */
import { makeVisible } from '@clawdfather/tools/text';
import type { Execute } from '../command.ts';
import { CliError } from '../errors.ts';
import { codeStatus, exitOk } from '../exit-status.ts';
import { formatBytes } from '../render/bytes.ts';
import { jsonLine } from '../render/run-json.ts';
import { formatTable } from '../render/table.ts';
import { artifactJson, type TurnArtifacts } from '../threads/artifact-json.ts';
import { chooseArtifacts } from '../threads/choose-artifacts.ts';
import { openSaver } from '../threads/save-artifact.ts';
import { findTurn } from '../threads/find-turn.ts';
import { withThreads } from '../threads/with-threads.ts';
import type { threadsArtifactsSpec, threadsDownloadSpec } from './artifact-specs.ts';

export const list: Execute<typeof threadsArtifactsSpec> = (context) =>
  withThreads(context, async ({ client }) => {
    const { io, paint } = context;
    const turnId = await findTurn(client, context.operands.turn);
    const found = await client.artifacts.ofTurn({ params: { id: turnId } });
    if (context.isJson) {
      await io.stdout.write(jsonLine(artifactJson(turnId, found)));
      return codeStatus(exitOk);
    }
    const rows = found.items.map((item) => [
      { text: makeVisible(item.relative_path), paint: paint.strong },
      { text: item.news },
      { text: formatBytes(item.size_bytes) },
      { text: item.sha256.slice(0, shownHashChars) },
    ]);
    if (rows.length > 0) {
      const headers = ['FILE', 'NEWS', 'SIZE', 'SHA256'];
      const layout = {
        headers,
        paintHeader: paint.dim,
        columnsMax: io.columns(),
        dispensable: ['SHA256'],
      };
      await io.stdout.write(formatTable(layout, rows));
    }
    await io.stderr.write(formatSync(turnId, found));
    return codeStatus(exitOk);
  });

/* Enough to tell two files apart. */
const shownHashChars = 12;

function formatSync(turnId: string, { artifact_sync: sync }: TurnArtifacts): string {
  const lines = sync.missing.map(
    ({ path, reason }) => `clf: not kept: ${makeVisible(path)} (${reason})\n`,
  );
  const unnamed = sync.missing_count - sync.missing.length;
  if (unnamed > 0) lines.push(`clf: and ${unnamed} more\n`);
  if (sync.status === 'syncing') lines.push(`clf: turn ${turnId} is still being looked at\n`);
  if (sync.status === 'no-artifacts') lines.push(`clf: turn ${turnId} has left nothing\n`);
  return lines.join('');
}

export const download: Execute<typeof threadsDownloadSpec> = (context) =>
  withThreads(context, async ({ client, target }) => {
    const { io, isJson, flags, operands } = context;
    const turnId = await findTurn(client, operands.turn);
    const found = await client.artifacts.ofTurn({ params: { id: turnId } });
    const chosen = chooseArtifacts(found.items, operands.paths);
    if (chosen.length === 0) {
      throw new CliError('artifact-not-found', `turn ${turnId} has left nothing to download`, {
        hint: 'What there is: clf threads artifacts THREAD',
      });
    }
    const saver = await openSaver(target, {
      directory: flags.output ?? '.',
      isForced: flags.force,
      onProgress: io.stderr.isTerminal ? (text) => void io.stderr.write(text) : undefined,
    });
    for (const item of chosen) {
      const path = await saver.save(item);
      const { relative_path: relativePath, size_bytes: sizeBytes, sha256 } = item;
      await io.stdout.write(
        isJson
          ? jsonLine({ relativePath, sizeBytes, sha256, savedAs: path })
          : `${makeVisible(path)}\n`,
      );
    }
    return codeStatus(exitOk);
  });
