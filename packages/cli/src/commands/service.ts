/*
 * `clf service install | uninstall | status`: a gateway that systemd keeps running, and that can be restarted and upgraded
 * without any run noticing (E2).
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { geteuid } from 'node:process';
import { shellWord } from '@clawdfather/kit/files';
import { type FlagValues, namedFlags } from '../args/flag.ts';
import type { CommandContext, Execute } from '../command.ts';
import { configPath, isByFlag } from '../config.ts';
import { settingOf } from '../config/settings.ts';
import { CliError, usageError } from '../errors.ts';
import { codeStatus, exitChecksFailed, exitOk } from '../exit-status.ts';
import { jsonLine } from '../render/run-json.ts';
import {
  createSystemctl,
  mustAnswer,
  mustSucceed,
  type Systemctl,
  unitPath,
} from '../service/systemd.ts';
import { formatUnit, unitName, unitProblems, type UnitScope } from '../service/unit-text.ts';
import {
  type scopeFlags,
  serveFlags,
  type serviceInstallSpec,
  type serviceStatusSpec,
  type serviceUninstallSpec,
} from './gateway-specs.ts';

const withoutSystemd =
  'Without systemd, start the gateway by hand (clf serve) or from what starts your other services: ' +
  'clf serve runs in the foreground, SIGTERM stops it, and its runs go on. For a machine with systemd: clf service install --print';

export const install: Execute<typeof serviceInstallSpec> = async (context) => {
  const { io, flags, config } = context;
  const scope = scopeOf(context.flags);
  const text = formatUnit(unitFacts(context, scope));
  if (flags.print) {
    await io.stdout.write(text);
    return codeStatus(exitOk);
  }
  const path = unitPath(scope, config);
  const systemctl = createSystemctl(scope, config);
  await mustAnswer(systemctl, withoutSystemd);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  // Nothing in it is secret, and systemd tells it to everybody; about a unit that others cannot read, it complains.
  chmodSync(path, 0o644);
  await mustSucceed(systemctl, 'daemon-reload');
  const isStarted = !flags.noStart;
  if (isStarted) {
    await mustSucceed(systemctl, 'enable', unitName);
    // One that runs already gets the new unit.
    await mustSucceed(systemctl, 'restart', unitName);
  }
  const linger = lingerAdvice(context, scope);
  if (context.isJson) {
    await io.stdout.write(jsonLine({ unit: path, scope, isStarted, advice: linger ?? null }));
    return codeStatus(exitOk);
  }
  const done = isStarted ? 'The gateway runs, and starts by itself from now on.' : 'Written.';
  await io.stdout.write(
    `${done}\n  unit: ${path}\n  log:  journalctl ${scope === 'user' ? '--user ' : ''}-f -u ${unitName}\n` +
      '  sign in: clf login --link\n',
  );
  if (linger !== undefined) await io.stderr.write(`clf: ${linger}\n`);
  return codeStatus(exitOk);
};

export const uninstall: Execute<typeof serviceUninstallSpec> = async (context) => {
  const { io, config } = context;
  const scope = scopeOf(context.flags);
  const path = unitPath(scope, config);
  const wasThere = existsSync(path);
  const systemctl = createSystemctl(scope, config);
  if (wasThere) {
    await mustAnswer(
      systemctl,
      `The unit is a file, and can be removed by hand: rm ${shellWord(path)}`,
    );
    await mustSucceed(systemctl, 'disable', '--now', unitName);
    rmSync(path, { force: true });
    await mustSucceed(systemctl, 'daemon-reload');
  }
  await io.stdout.write(
    context.isJson
      ? jsonLine({ unit: path, scope, isRemoved: wasThere })
      : wasThere
        ? `Removed ${path}. What runs goes on: clf ps\n`
        : `There is no ${path}.\n`,
  );
  return codeStatus(exitOk);
};

export const status: Execute<typeof serviceStatusSpec> = async (context) => {
  const { io, config, paint } = context;
  const scope = scopeOf(context.flags);
  const path = unitPath(scope, config);
  const isThere = existsSync(path);
  const problems = isThere ? unitProblems(readFileSync(path, 'utf8')) : [];
  const state = await serviceState(createSystemctl(scope, config), isThere);
  const isWell = state === 'active' && problems.length === 0;
  if (context.isJson) {
    await io.stdout.write(jsonLine({ unit: path, scope, state, problems }));
  } else if (state === 'unsupported') {
    const unused = isThere ? `; the unit ${path} is not in use` : '';
    await io.stdout.write(
      `systemd does not answer here${unused}. Start the gateway by hand: clf serve\n`,
    );
  } else if (!isThere) {
    await io.stdout.write(`No service is installed (${path}). Install it: clf service install\n`);
  } else {
    const shown = state === 'active' ? paint.good(state) : paint.bad(state);
    await io.stdout.write(`${shown}  ${path}\n`);
    for (const problem of problems) await io.stdout.write(`${paint.warn('warn')}  ${problem}\n`);
    if (problems.length > 0) {
      await io.stdout.write(
        'A stop or an upgrade would end runs. Write it anew: clf service install\n',
      );
    }
  }
  return codeStatus(isWell ? exitOk : exitChecksFailed);
};

/* systemd's own word, `absent` without a unit, or `unsupported` where no systemd answers. */
async function serviceState(systemctl: Systemctl, isThere: boolean): Promise<string> {
  try {
    await mustAnswer(systemctl, withoutSystemd);
  } catch (error) {
    if (error instanceof CliError && error.code === 'service-unsupported') return 'unsupported';
    throw error;
  }
  return isThere ? (await systemctl('is-active', unitName)).stdout.trim() : 'absent';
}

function scopeOf({ user, system }: FlagValues<typeof scopeFlags>): UnitScope {
  if (user && system) {
    throw usageError('--user and --system exclude each other');
  }
  if (user) return 'user';
  return system || geteuid?.() === 0 ? 'system' : 'user';
}

function unitFacts(context: CommandContext, scope: UnitScope) {
  const { config, callSettings, caller } = context;
  const { path, isNamed } = configPath(caller, callSettings);
  const isPlaced = config.origins.stateDir.kind !== 'default';
  return {
    scope,
    program: [fileURLToPath(new URL('../../bin/clawdfather', import.meta.url))],
    flags: namedFlags(serveFlags).flatMap(({ name, setting }) => {
      if (setting === undefined || !isByFlag(config, setting)) return [];
      // As it was understood here: a relative path means nothing there.
      const json = settingOf(setting).kind.toJson(config.values[setting]);
      const text = typeof json === 'string' ? json : JSON.stringify(json);
      return [`--${name}`, Array.isArray(json) ? json.join(',') : text];
    }),
    placeFlags: [
      ...(isPlaced ? ['--state-dir', config.stateDir] : []),
      ...(isNamed ? ['--config', path] : []),
    ],
    searchPath: config.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
  };
}

/* Without it systemd ends the user's services at the last logout. */
function lingerAdvice({ config }: CommandContext, scope: UnitScope): string | undefined {
  const user = config.env['USER'] ?? '';
  if (scope === 'system' || existsSync(join('/var/lib/systemd/linger', user))) return undefined;
  return 'it ends with your last logout, unless you let it stay: loginctl enable-linger';
}
