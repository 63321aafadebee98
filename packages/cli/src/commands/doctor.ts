/*
 * `clf doctor`: looks at everything our promises lean on, says what it found and
 * what to do. Exits 1 when something will not work.
 *
 * Nothing is changed by looking, but for what every command does: runs that have
 * ended without an owner are recorded as ended. `--rebuild` changes things.
 */
import { existsSync, readdirSync } from 'node:fs';
import { readdir, realpath } from 'node:fs/promises';
import { getCompileCacheDir } from 'node:module';
import { join } from 'node:path';
import { hasCode } from '@clawdfather/kit';
import { isProcessAlive } from '@clawdfather/supervisor/alive';
import type { ConfinementSupport, Supervisor } from '@clawdfather/supervisor';
import type { CallOf, CommandContext } from '../command.ts';
import type { Config } from '../config.ts';
import { type Finding, findingsJson, formatFindings, hasFailed } from '../doctor/finding.ts';
import {
  checkCgroup,
  checkDisk,
  checkKernel,
  checkNode,
  checkPlatform,
  checkProc,
  checkSystemd,
} from '../doctor/host-checks.ts';
import {
  checkCertificate,
  checkControl,
  checkGateway,
  checkGatewayVersion,
  checkMasterKeys,
  type MasterKeyFacts,
  checkSecretFiles,
  checkUnits,
} from '../doctor/gateway-checks.ts';
import { createHostFacts } from '../doctor/host-facts.ts';
import { checkJournals, journalBytesMax } from '../doctor/journal-check.ts';
import {
  checkDecisions,
  checkLeftovers,
  checkOwners,
  checkRunDirs,
  checkStalls,
  checkUnsaved,
} from '../doctor/run-checks.ts';
import { runSelfTest } from '../doctor/self-test.ts';
import { checkShim } from '../doctor/shim-check.ts';
import { checkShimProcesses, readShimProcesses } from '../doctor/shim-processes.ts';
import { checkCodeCache, checkProgram } from '../doctor/code-checks.ts';
import { checkConfig } from '../doctor/config-check.ts';
import { checkConfinement } from '../doctor/confinement-check.ts';
import { checkPush } from '../doctor/push-check.ts';
import { checkShield } from '../doctor/shield-check.ts';
import { shieldSettingsOf } from '../approvals/shield-places.ts';
import { checkSsh } from '../doctor/ssh-check.ts';
import { checkStateDir, readDirectory } from '../doctor/state-checks.ts';
import { codeStatus, type ExitStatus, exitChecksFailed, exitOk } from '../exit-status.ts';
import { masterKeysDirFrom } from '../gateway/gateway-config.ts';
import { lookAtGateway } from '../gateway/look-at-gateway.ts';
import { jsonLine } from '../render/run-json.ts';
import { withSupervisor } from '../runs/with-supervisor.ts';
import { loadControlFile } from '../serve.ts';
import { controlPath } from './backup.ts';
import type { doctorSpec } from './own-specs.ts';
import { readVersion } from './version.ts';

/* All of them; a host with more has other worries. */
const recordsMax = 1_000_000;

export async function execute(context: CallOf<typeof doctorSpec>): Promise<ExitStatus> {
  const { stateDir } = context.config;
  const rebuilt = context.flags.rebuild ? [await rebuild(stateDir)] : [];
  const facts = createHostFacts();
  const { comparePackedShim, readConfinementSupport, shimBinaryPath } = await import(
    '@clawdfather/supervisor'
  );
  const directory = await readDirectory(stateDir);
  const findings: Finding[] = [
    ...rebuilt,
    checkPlatform(facts),
    checkKernel(facts),
    checkNode(facts),
    await checkShim({ findPath: shimBinaryPath, compare: comparePackedShim }),
    ...(await checkConfinements(context, () => readConfinementSupport(shimBinaryPath()))),
    await checkSsh(),
    checkConfig(context.config),
    checkProgram(),
    checkCodeCache(context.config.env, getCompileCacheDir()),
    checkStateDir(stateDir, directory, process.getuid?.()),
    await checkDisk(facts, stateDir),
    checkProc(facts),
    ...(await checkRuns(context)),
    ...(await checkServing(context)),
    checkCgroup(facts),
    ...checkSystemd(facts),
  ];
  await context.io.stdout.write(
    context.isJson
      ? jsonLine(findingsJson(findings))
      : formatFindings(findings, { paint: context.paint, columnsMax: context.io.columns() }),
  );
  return codeStatus(hasFailed(findings) ? exitChecksFailed : exitOk);
}

/* A shim that is not there was told already. */
async function checkConfinements(
  { config }: CommandContext,
  read: () => Promise<ConfinementSupport>,
): Promise<Finding[]> {
  const { shieldStateOf } = await import('@clawdfather/tools');
  const settings = shieldSettingsOf(config);
  try {
    const support = await read();
    return [checkConfinement(support), checkShield(shieldStateOf(support, settings), settings)];
  } catch {
    return [];
  }
}

async function checkServing(context: CommandContext): Promise<Finding[]> {
  const { config, clock } = context;
  const isPostgres = config.values['gateway.database.urlFile'] !== undefined;
  const control = isPostgres ? undefined : controlPath(context);
  const { checkBackup } = await loadControlFile();
  // The whole file is read once for both.
  let needed: readonly string[] | undefined;
  const controlFinding = checkControl(control, (path) => {
    const report = checkBackup(path);
    needed = report.masterKeyIds;
    return report;
  });
  const look = await lookAtGateway(context);
  return [
    checkGateway(look),
    ...checkGatewayVersion(look, { config, ours: readVersion() }),
    checkPush(config),
    controlFinding,
    ...checkMasterKeys(await readMasterKeys(config, needed)),
    checkSecretFiles(context),
    ...checkCertificate(config, clock.wallMs()),
    ...checkUnits(context),
  ];
}

/* Undefined: there is no database that could be read. */
async function readMasterKeys(
  config: Config,
  needed: readonly string[] | undefined,
): Promise<MasterKeyFacts | undefined> {
  if (needed === undefined) return undefined;
  const { readMasterKeyIds } = await loadControlFile();
  const directory = masterKeysDirFrom(config);
  try {
    return { needed, present: await readMasterKeyIds(directory), directory };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { needed, present: [], directory, why };
  }
}

async function rebuild(stateDir: string): Promise<Finding> {
  const { rebuildRegistry } = await import('@clawdfather/supervisor');
  const report = await rebuildRegistry({ stateDir }).catch((error: unknown) => ({ error }));
  // The old one is as it was, and what else is wrong is told below.
  if ('error' in report) return failed('rebuild', report.error);
  const number = report.recovered.length;
  const skipped = report.skipped.map(({ name, why }) => `${name} (${why})`).join(', ');
  const kept = report.movedAside === undefined ? '' : `; the old one is ${report.movedAside}`;
  return {
    check: 'rebuild',
    status: report.skipped.length === 0 ? 'ok' : 'warn',
    summary: `the registry has ${number} run${number === 1 ? '' : 's'} from their directories${kept}`,
    ...(skipped === '' ? {} : { advice: `Left alone: ${skipped}` }),
  };
}

/* A registry that does not open is a finding, not the end of the page. */
async function checkRuns(context: CommandContext): Promise<Finding[]> {
  try {
    return await withSupervisor(context, (supervisor) => lookAtRuns(context, supervisor));
  } catch (error) {
    return [registryFailed(error)];
  }
}

function registryFailed(error: unknown): Finding {
  const found = failed('registry', error);
  return hasCode(error, 'registry-corrupt') ? { ...found, advice: 'clf doctor --rebuild' } : found;
}

function failed(check: string, error: unknown): Finding {
  const summary = error instanceof Error ? error.message : String(error);
  const advice = error instanceof Error && 'hint' in error ? error.hint : undefined;
  const what = { check, status: 'fail', summary } as const;
  return typeof advice === 'string' ? { ...what, advice } : what;
}

async function lookAtRuns(context: CommandContext, supervisor: Supervisor): Promise<Finding[]> {
  // Where nothing, or only a little, can be written the rest can still be looked at.
  const reconciled = await supervisor.reconcile().catch((error: unknown) => ({ error }));
  const decisions = 'error' in reconciled ? [] : reconciled;
  const fault = 'error' in reconciled ? reconciled.error : supervisor.unwritable;
  const selfTest =
    fault === undefined
      ? await runSelfTest(supervisor, context.clock).catch((error: unknown) =>
          registryFailed(error),
        )
      : registryFailed(fault);
  const records = supervisor.list({ includeRemoved: true, limit: recordsMax });
  const runsDir = join(context.config.stateDir, 'runs');
  const directories = await readdir(runsDir).catch(() => []);
  return [
    selfTest,
    checkRunDirs({ records, directories, isEmpty: (name) => isEmpty(join(runsDir, name)) }),
    checkOwners({
      owners: supervisor.owners().filter((owner) => owner.pid !== context.config.pid),
      runs: records,
      isAlive: isProcessAlive,
    }),
    checkDecisions(decisions),
    checkShimProcesses({
      shims: readShimProcesses(process.getuid?.()),
      runs: records,
      runsDir: await realpath(runsDir).catch(() => runsDir),
    }),
    checkLeftovers(records),
    await checkJournals({
      records,
      attach: (runId) => supervisor.attach(runId),
      bytesMax: journalBytesMax,
    }),
    ...checkUnsaved(records),
    checkStalls(records, await supervisor.stalls(records)),
  ];
}

function isEmpty(directory: string): boolean {
  try {
    return readdirSync(directory).length === 0;
  } catch {
    // It went away while we looked, which is as empty as can be; or it cannot be read, which is not.
    return !existsSync(directory);
  }
}
