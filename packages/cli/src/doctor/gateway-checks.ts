/*
 * Checks of the gateway on this machine: its file and process, its database, its certificate, its secrets, its unit.
 */
import { X509Certificate } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandContext } from '../command.ts';
import type { Config } from '../config.ts';
import { masterKeysDirFrom } from '../gateway/gateway-config.ts';
import { howToRestart, otherVersionOf } from '../gateway/other-version.ts';
import { whyUnsafe } from '../gateway/read-secret.ts';
import type { GatewayLook } from '../gateway/look-at-gateway.ts';
import { gatewaysPath } from '../sign-in/gateways-file.ts';
import { formatDuration } from '../render/duration.ts';
import { unitPath } from '../service/systemd.ts';
import { unitProblems } from '../service/unit-text.ts';
import type { Finding } from './finding.ts';

const day = 86_400_000;
/* Time enough to renew it, also over a holiday. */
const certificateLowMs = 14 * day;

export function checkGateway({ found, isReady, health, diskFault }: GatewayLook): Finding {
  const check = 'gateway';
  switch (found.kind) {
    case 'none':
      return { check, status: 'info', summary: 'none runs here; clf serve starts one' };
    case 'elsewhere':
      return {
        check,
        status: 'info',
        summary: `it runs in another container: ${found.record.url}`,
      };
    case 'stale':
      return {
        check,
        status: 'warn',
        summary: `the last one (process ${found.record.pid}) ended without saying so`,
        advice: 'It was killed, or crashed; runs go on. Start it again: clf serve',
      };
    case 'running': {
      const { url, pid } = found.record;
      if (isReady) return { check, status: 'ok', summary: `${url}, ${health?.status ?? 'ready'}` };
      if (diskFault !== undefined) {
        return {
          check,
          status: 'fail',
          summary: `process ${pid} is there, but ${url} is not ready: ${diskFault}`,
          advice:
            'It is ready again by itself once its disk takes something. A start would be refused now.',
        };
      }
      return {
        check,
        status: 'fail',
        summary: `process ${pid} is there, but ${url} ${health === undefined ? 'does not answer' : 'is not ready'}`,
        advice: 'Look at its log; a stop and a start harm no run: clf stop, clf serve',
      };
    }
  }
}

/* After an upgrade the gateway goes on as what it was. */
export function checkGatewayVersion(
  { found }: Pick<GatewayLook, 'found'>,
  { config, ours }: { readonly config: Pick<Config, 'env'>; readonly ours: string },
): Finding[] {
  const summary = otherVersionOf(found, ours);
  if (summary === undefined) return [];
  const advice = `Restart it, which ends no run: ${howToRestart(config)}`;
  return [{ check: 'gateway-version', status: 'warn', summary, advice }];
}

export interface ControlReport {
  readonly isSound: boolean;
  readonly problems: readonly string[];
  readonly migrations: { readonly state: string };
}

/* `look` reads the whole file; undefined when there is none, or it is not a file of ours to look at. */
export function checkControl(
  path: string | undefined,
  look: (path: string) => ControlReport,
): Finding {
  const check = 'control-database';
  if (path === undefined) {
    return { check, status: 'info', summary: 'PostgreSQL; /readyz of the gateway tells of it' };
  }
  if (!existsSync(path))
    return { check, status: 'info', summary: 'none yet; the first clf serve makes it' };
  try {
    const { isSound, problems, migrations } = look(path);
    const { state } = migrations;
    if (isSound) {
      const older = state === 'pending' ? ', of an older version' : '';
      return { check, status: 'ok', summary: `${path} is whole${older}` };
    }
    const [problem = `its form is ${state}`] = problems;
    return { check, status: 'fail', summary: `${path}: ${problem}`, advice: 'clf restore FILE' };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const found = { check, status: 'fail', summary: `${path}: ${message}` } as const;
    // A right that is missing or a disk that fails is not mended by another file.
    return isDamage(error) ? { ...found, advice: 'clf restore FILE' } : found;
  }
}

/* SQLITE_CORRUPT and SQLITE_NOTADB, by their low byte. */
const damageCodes: readonly number[] = [11, 26];

function isDamage(error: unknown): boolean {
  const code = error instanceof Error && 'errcode' in error ? error.errcode : undefined;
  return typeof code === 'number' && damageCodes.includes(code & 0xff);
}

export function checkCertificate({ values }: Pick<Config, 'values'>, nowMs: number): Finding[] {
  const path = values['gateway.tls.cert'];
  if (path === undefined) return [];
  const check = 'certificate';
  try {
    const certificate = new X509Certificate(readFileSync(path));
    const leftMs = certificate.validToDate.getTime() - nowMs;
    const until = certificate.validToDate.toISOString().slice(0, 10);
    if (leftMs <= 0) {
      return [{ check, status: 'fail', summary: `${path} ended on ${until}`, advice: 'Renew it.' }];
    }
    const summary = `${path} is good until ${until}`;
    if (leftMs > certificateLowMs) return [{ check, status: 'ok', summary }];
    const advice = `Renew it within ${formatDuration(leftMs)}, and restart the gateway.`;
    return [{ check, status: 'warn', summary, advice }];
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return [{ check, status: 'fail', summary: `${path}: ${message}` }];
  }
}

/* Files that hold secrets, and whether others could have read them. */
export function checkSecretFiles({ config }: Pick<CommandContext, 'config'>): Finding {
  const check = 'secrets';
  const { values } = config;
  const named = [
    values['gateway.tls.key'],
    values['gateway.database.urlFile'],
    values['gateway.github.clientSecretFile'],
  ].filter((path) => path !== undefined);
  const missing = named.filter((path) => !existsSync(path));
  const files = [...named, gatewaysPath(config), ...masterKeyFiles(config)].filter((path) =>
    existsSync(path),
  );
  const unsafe = files.flatMap((path) => {
    const why = whyUnsafe(statSync(path), false);
    return why === undefined ? [] : [{ path, why }];
  });
  const [first] = unsafe;
  if (first !== undefined) {
    return {
      check,
      status: 'fail',
      summary: `${first.path} ${first.why}`,
      advice: `chmod 600 ${unsafe.map(({ path }) => path).join(' ')}, and replace what may be known`,
    };
  }
  if (missing.length > 0) {
    return {
      check,
      status: 'fail',
      summary: `a setting names what is not there: ${missing.join(', ')}`,
    };
  }
  return {
    check,
    status: 'ok',
    summary: `${files.length === 1 ? '1 file' : `${files.length} files`} with secrets, none open to others`,
  };
}

export interface MasterKeyFacts {
  /* Those that the database was used with, and those that are there, by their ids. */
  readonly needed: readonly string[];
  readonly present: readonly string[];
  readonly directory: string;
  /* They cannot be read. */
  readonly why?: string;
}

/* Stored SSH keys are of no use without them, and nobody can make them anew. Undefined: there is no database to compare with. */
export function checkMasterKeys(facts: MasterKeyFacts | undefined): Finding[] {
  if (facts === undefined) return [];
  const { needed, present, directory, why } = facts;
  const check = 'master-keys';
  if (why !== undefined) return [{ check, status: 'fail', summary: why }];
  const missing = needed.filter((id) => !present.includes(id));
  if (present.length > 0 && missing.length === 0) {
    return [{ check, status: 'ok', summary: `${present.length} in ${directory}` }];
  }
  const summary =
    present.length === 0
      ? `there is a control database, but no master key in ${directory}`
      : `the keys in ${directory} are not those that the control database was used with (${missing.join(', ')})`;
  return [
    {
      check,
      status: 'fail',
      summary,
      advice: `Without them the stored SSH keys cannot be opened. With those of clf backup --with-keys: clf restore FILE --keys FILE.keys, or copy what is in FILE.keys to ${directory}`,
    },
  ];
}

/* E2: a unit that somebody has changed may end runs at the next upgrade. */
export function checkUnits({ config }: Pick<CommandContext, 'config'>): Finding[] {
  return (['user', 'system'] as const).flatMap((scope): Finding[] => {
    const path = unitPath(scope, config);
    if (!existsSync(path)) return [];
    const check = 'service';
    const problems = unitProblems(readFileSync(path, 'utf8'));
    if (problems.length === 0) return [{ check, status: 'ok', summary: `${path} spares runs` }];
    const summary = `${path}: ${problems.join('; ')}; a stop or an upgrade would end runs`;
    return [{ check, status: 'fail', summary, advice: 'Write it anew: clf service install' }];
  });
}

function masterKeyFiles(config: Config): string[] {
  const directory = masterKeysDirFrom(config);
  try {
    const names = readdirSync(directory).filter((name) => name.endsWith('.key'));
    return names.map((name) => join(directory, name));
  } catch {
    // Not there yet, or not for us to see.
    return [];
  }
}
