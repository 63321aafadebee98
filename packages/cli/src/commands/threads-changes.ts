/*
 * `clf threads changes`: the files that a turn has changed, as a unified diff or as counts.
 */
import type { Execute } from '../command.ts';
import { codeStatus, exitOk } from '../exit-status.ts';
import { jsonLine } from '../render/run-json.ts';
import { changesJson } from '../threads/changes-json.ts';
import { formatDiff, formatStat, noChanges } from '../threads/changes-text.ts';
import { findTurn } from '../threads/find-turn.ts';
import { type FileChanges, readFileChanges } from '../threads/read-changes.ts';
import { withThreads } from '../threads/with-threads.ts';
import type { threadsChangesSpec } from './reading-specs.ts';

export const execute: Execute<typeof threadsChangesSpec> = (context) =>
  withThreads(context, async ({ client }) => {
    const { io, paint, isJson, flags } = context;
    // Unlike what it leaves, what it changes is told while it runs.
    const hasBegun = (turn: { readonly started_at: string | null }) => turn.started_at !== null;
    const turnId = await findTurn(client, context.operands.turn, hasBegun);
    const changes = await client.history.changes({ params: { id: turnId } });
    const { files } = changes;
    if (isJson) {
      const read: FileChanges[] = [];
      for (const { n } of flags.stat ? [] : files) {
        read.push(await readFileChanges(client, { turnId, n }));
      }
      await io.stdout.write(jsonLine(changesJson(changes, read)));
      return codeStatus(exitOk);
    }
    if (files.length === 0) await io.stdout.write(noChanges);
    else if (flags.stat) {
      await io.stdout.write(formatStat(files, { paint, columnsMax: io.columns() }));
    } else {
      // Each as soon as it is read: who leaves the pager early does not wait for the rest.
      for (const { n } of files) {
        await io.stdout.write(formatDiff(await readFileChanges(client, { turnId, n }), paint));
      }
    }
    if (changes.is_partial) {
      await io.stderr.write(
        'clf: there was more than can be looked at; some files are not shown\n',
      );
    }
    return codeStatus(exitOk);
  });
