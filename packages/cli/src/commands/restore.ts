/*
 * `clf restore FILE`: a backup in the place of the control database. The gateway must not run; what was there is kept.
 *
 * What was revoked since the backup was made is good again afterwards, and what was made since is not, which is said.
 *
 * The master keys come from `FILE.keys` where it is there, or from `--keys DIR`. They are looked at before anything is changed, and
 * put in place after the database: a crash in between leaves a gateway that refuses to start and says what is missing.
 */
import { resolve } from 'node:path';
import type { CallOf, CommandContext } from '../command.ts';
import { CliError } from '../errors.ts';
import { codeStatus, exitChecksFailed, type ExitStatus, exitOk } from '../exit-status.ts';
import { findGateway } from '../gateway/gateway-file.ts';
import { placeKeys, planKeys, tellKeys } from '../gateway/restored-keys.ts';
import { whyUnreadable } from '../io/why-unreadable.ts';
import { jsonLine } from '../render/run-json.ts';
import { explainOpenFailure } from '../runs/open-failure.ts';
import { loadControlFile } from '../serve.ts';
import { controlPath } from './backup.ts';
import type { restoreSpec } from './gateway-specs.ts';

export async function execute(context: CallOf<typeof restoreSpec>): Promise<ExitStatus> {
  const { config, io, clock } = context;
  const backupPath = resolve(config.cwd, context.operands.file);
  if (context.flags.check) return check(context, backupPath);
  const missing = whyUnreadable(backupPath);
  if (missing !== undefined) {
    throw new CliError('file-unreadable', missing, {
      hint: `Nothing was changed. ${whereBackups}`,
      detail: { path: backupPath },
    });
  }
  refuseWhileRunning(config.stateDir);
  const databasePath = controlPath(context);
  const keys = await planKeys(context, backupPath);
  await makeStateDir(config.stateDir);
  const { restoreBackup } = await loadControlFile();
  const restored = await restoreBackup({ backupPath, databasePath }, { clock });
  const replaced = restored.replacedPath;
  const placed = await placeKeys(context, keys, restored.masterKeyIds);
  if (context.isJson) {
    const { names, missing: keysMissing } = placed;
    const paths = { path: backupPath, database: databasePath, keptPath: replaced ?? null };
    await io.stdout.write(jsonLine({ ...paths, keysPlaced: names, keysMissing }));
    return codeStatus(exitOk);
  }
  const kept = replaced === undefined ? '' : `The one before it is kept: ${replaced}\n`;
  await io.stdout.write(`${databasePath} is as it was in ${backupPath}.\n${kept}`);
  await tellKeys(context, placed);
  await io.stderr.write(
    'clf: devices and tokens that were made since are unknown (clf login), those revoked since are good again; look: clf devices, clf token ls\n',
  );
  return codeStatus(exitOk);
}

/* As `run` and `serve` make it: there is none yet on a machine that everything moves to. */
async function makeStateDir(stateDir: string): Promise<void> {
  const { openStateDir } = await import('@clawdfather/supervisor');
  try {
    await openStateDir(stateDir);
  } catch (error) {
    throw await explainOpenFailure(error, stateDir);
  }
}

async function check(context: CommandContext, path: string): Promise<ExitStatus> {
  const { io, paint } = context;
  const { isSound, problems, state } = await lookAtBackup(path);
  if (context.isJson) {
    await io.stdout.write(jsonLine({ path, isSound, problems, migrations: state }));
  } else if (isSound) {
    const older =
      state === 'pending' ? '; an older version made it, and the next start brings it up' : '';
    await io.stdout.write(`${paint.good('good')}  ${path} can be restored${older}\n`);
  } else {
    const why = problems.length > 0 ? problems : [`its form is ${state}`];
    for (const problem of why) await io.stdout.write(`${paint.bad('bad')}  ${problem}\n`);
  }
  return codeStatus(isSound ? exitOk : exitChecksFailed);
}

interface BackupLook {
  readonly isSound: boolean;
  readonly problems: readonly string[];
  /* Of its migrations, beside ours. */
  readonly state: string;
}

const whereBackups = 'A backup is the file that clf backup FILE has made.';

/* What SQLite cannot read at all is a bad backup, too. */
async function lookAtBackup(path: string): Promise<BackupLook> {
  const missing = whyUnreadable(path);
  if (missing !== undefined) {
    return { isSound: false, problems: [`${missing}. ${whereBackups}`], state: 'unknown' };
  }
  const { checkBackup } = await loadControlFile();
  try {
    const { isSound, problems, migrations } = checkBackup(path);
    return { isSound, problems, state: migrations.state };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { isSound: false, problems: [message], state: 'unknown' };
  }
}

function refuseWhileRunning(stateDir: string): void {
  const found = findGateway(stateDir);
  if (found.kind !== 'running' && found.kind !== 'elsewhere') return;
  throw new CliError('gateway-running', `the gateway uses the database: ${found.record.url}`, {
    hint: 'Stop it first: clf stop. What runs goes on.',
    detail: { url: found.record.url },
  });
}
