/*
 * systemd as `clf service` uses it: where units lie, and `systemctl`.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { hasCode } from '@clawdfather/kit';
import { configDirectory, type CallerFacts } from '../config/settings.ts';
import { CliError } from '../errors.ts';
import { unitName, type UnitScope } from './unit-text.ts';

/* It waits for the gateway to be ready (unit-text.ts). */
const limitMs = 90_000;

export function unitPath(scope: UnitScope, caller: Pick<CallerFacts, 'env'>): string {
  if (scope === 'system') return join('/etc/systemd/system', unitName);
  // Beside our own directory: both follow XDG_CONFIG_HOME.
  return join(configDirectory(caller), '..', 'systemd', 'user', unitName);
}

export interface SystemctlAnswer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export type Systemctl = (...args: readonly string[]) => Promise<SystemctlAnswer>;

export function createSystemctl(scope: UnitScope, { env }: Pick<CallerFacts, 'env'>): Systemctl {
  return (...args) => {
    const { promise, resolve, reject } = Promise.withResolvers<SystemctlAnswer>();
    const words = scope === 'user' ? ['--user', ...args] : [...args];
    const options = { env: { ...env }, timeout: limitMs, encoding: 'utf8' } as const;
    execFile('systemctl', words, options, (error, stdout, stderr) => {
      const code = error === null ? 0 : error.code;
      if (typeof code === 'number') resolve({ code, stdout, stderr });
      else reject(unsupported(error));
    });
    return promise;
  };
}

export async function mustSucceed(
  systemctl: Systemctl,
  ...args: readonly string[]
): Promise<SystemctlAnswer> {
  const answer = await systemctl(...args);
  if (answer.code === 0) return answer;
  throw new CliError('service-failed', `systemctl ${args.join(' ')} failed`, {
    cause: new Error(answer.stderr.trim() || `exit code ${answer.code}`),
    hint: `What happened: journalctl -e -u ${unitName}, with --user for a service of yours`,
  });
}

/*
 * Asked before anything is written: a container often has the program `systemctl` and no systemd that answers it, and a user may
 * have no manager of their own (`su`, cron). Throws `service-unsupported`, with what to do instead.
 */
export async function mustAnswer(systemctl: Systemctl, hint: string): Promise<void> {
  const asked = systemctl('show', '--property=Version');
  const { code, stderr } = await asked.catch((error: unknown) => {
    throw hasCode(error, 'service-unsupported') ? unsupported(error.cause, hint) : error;
  });
  if (code !== 0) throw unsupported(new Error(stderr.trim() || `exit code ${code}`), hint);
}

function unsupported(cause: unknown, hint?: string): CliError {
  return new CliError('service-unsupported', 'systemd does not answer here', {
    cause,
    ...(hint === undefined ? {} : { hint: `Nothing was changed. ${hint}` }),
  });
}
