/*
 * `clf key rotate-master`: a new master key beside the others, on the machine of the gateway. It works with a gateway that runs, which
 * uses the new key from its next use on, and without one. It asks no gateway, because master keys are files that no API shows.
 *
 * Killed at any moment it leaves the keys as they were, or with the new one whole (master-keys.ts in packages/ssh).
 */
import type { CallOf } from '../command.ts';
import { codeStatus, type ExitStatus, exitOk } from '../exit-status.ts';
import { masterKeysDirFrom } from '../gateway/gateway-config.ts';
import { jsonLine } from '../render/run-json.ts';
import { loadControlFile } from '../serve.ts';
import type { keyRotateMasterSpec } from './host-specs.ts';

export async function execute(context: CallOf<typeof keyRotateMasterSpec>): Promise<ExitStatus> {
  const { io, random, config } = context;
  const directory = masterKeysDirFrom(config);
  const { readMasterKeyIds, rotateMasterKey } = await loadControlFile();
  await rotateMasterKey(directory, random);
  // The newest first.
  const [id = '', ...previous] = await readMasterKeyIds(directory);
  await io.stdout.write(
    context.isJson
      ? jsonLine({ id, previous, directory })
      : `${directory} has a new master key, ${id}. Stored keys move to it as they are used; the older ${previous.length === 1 ? 'one stays' : `${previous.length} stay`} needed until then, and for backups.\nBack it up with the database: clf backup --with-keys FILE\n`,
  );
  return codeStatus(exitOk);
}
