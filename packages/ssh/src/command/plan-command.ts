/*
 * From a command to what is sent to the host: one of three forms.
 *
 * - `exec`: everything is in the exec string. Two round trips. The command is seen in the host's list of processes, as every
 *   command is.
 * - `stdin`: with additions to the environment, which are secret until said otherwise, and for what is too long for the first
 *   form. The exec string says nothing. A third round trip.
 * - `staged`: with additions and a terminal, which would echo them. A session before it, without a terminal, puts them into a
 *   private file, which the command's own session reads and removes.
 *
 * Every plan has the script that ends what it started (sweep-script.ts).
 */
import {
  bootstrapExit,
  checkBytes,
  execStringBytesMax,
  formatBootstrap,
  stdinBootstrap,
} from './bootstrap.ts';
import { checkLeaseId, formatEnvironment, formatSetup, formatStart } from './command-script.ts';
import type { CommandScript, Environment, HostCommand } from './command-script.ts';
import { formatSweep } from './sweep-script.ts';

export interface CommandInput {
  readonly command: HostCommand;
  /* Of this command on that host alone. Never that of the run here: on loopback the sweep would find our own client. */
  readonly leaseId: string;
  readonly sessionLeaseId?: string | undefined;
  readonly nonce: string;
  readonly directory?: string | undefined;
  readonly environment?: Environment | undefined;
  readonly isTerminal: boolean;
  /* Between SIGTERM and SIGKILL, when it is ended. */
  readonly graceMs: number;
}

export interface PlannedCommand {
  readonly execString: string;
  /* The first bytes of its standard input. */
  readonly stdinPayload?: string;
  /* A session to run before it, without a terminal. It has to exit with 0. */
  readonly stage?: { readonly execString: string; readonly stdinPayload: string };
  /* Undefined: no header is to be expected. */
  readonly nonce: string | undefined;
  readonly sweepString: string;
}

export function planCommand(input: CommandInput): PlannedCommand {
  const { leaseId, sessionLeaseId, directory, command, isTerminal, environment = {} } = input;
  const nonce = isTerminal ? undefined : input.nonce;
  const script: CommandScript = { leaseId, sessionLeaseId, command, directory, nonce };
  const ending = { nonce, sweepString: formatSweep({ leaseId, graceMs: input.graceMs }) };
  const hasAdditions = Object.keys(environment).length > 0;
  if (hasAdditions && isTerminal) return { ...planStaged(script, environment), ...ending };
  if (!hasAdditions) {
    const execString = planExec(script, []);
    if (isTerminal || Buffer.byteLength(execString) <= execStringBytesMax)
      return { execString: checkExec(execString), ...ending };
  }
  return { execString: stdinBootstrap, stdinPayload: planStdin(script, environment), ...ending };
}

function planExec(script: CommandScript, more: readonly string[]): string {
  return formatBootstrap([...formatSetup(script, false), ...more, ...formatStart(script)]);
}

function planStdin(script: CommandScript, environment: Environment): string {
  const statements = [
    ...formatSetup(script, true),
    ...formatEnvironment(environment, true),
    ...formatStart(script),
  ];
  return checkBytes('the command', `${statements.join('; ')}\n`, execStringBytesMax);
}

/*
 * The file is new (noclobber) and ours alone; its name has the lease, which is random. `clf_ok` at its end proves that it is
 * whole. What is not fetched is removed by the sweep.
 */
function planStaged(
  script: CommandScript,
  environment: Environment,
): Required<Pick<PlannedCommand, 'execString' | 'stage'>> {
  const setPath = formatStagePath(script.leaseId);
  const noScript = `exit ${bootstrapExit.noScript}`;
  // Made by us, or nothing is done; then on a full disk half of it would stay.
  const write = [
    setPath,
    'umask 077',
    'set -C',
    ': >"$clf_f" || exit 1',
    'cat >>"$clf_f" && exit 0',
    'rm -f "$clf_f"',
    'exit 1',
  ];
  const content = [...formatEnvironment(environment, false), 'clf_ok=1', ''].join('\n');
  const fetch = [
    setPath,
    'clf_ok=',
    `[ -f "$clf_f" ] && [ -O "$clf_f" ] || ${noScript}`,
    // Removed before a PATH of its own could hide `rm`.
    'clf_c=$(cat "$clf_f")',
    'rm -f "$clf_f"',
    'eval "$clf_c"',
    `[ "$clf_ok" = 1 ] || ${noScript}`,
  ];
  return {
    execString: checkExec(planExec(script, fetch)),
    stage: {
      execString: formatBootstrap(write),
      stdinPayload: checkBytes('the environment', content, execStringBytesMax),
    },
  };
}

export function formatStagePath(leaseId: string): string {
  return `clf_f=\${XDG_RUNTIME_DIR:-/tmp}/clf-env-${checkLeaseId(leaseId)}`;
}

function checkExec(execString: string): string {
  return checkBytes('the command as it is sent', execString, execStringBytesMax);
}
