/*
 * `clf stop`: SIGTERM to the gateway of this state directory, after its process was verified, and to nothing else; then wait
 * until it is gone. Runs go on.
 */
import { isProcessAlive } from '@clawdfather/supervisor/alive';
import type { CallOf, CommandContext } from '../command.ts';
import { CliError, usageError } from '../errors.ts';
import { codeStatus, type ExitStatus, exitOk } from '../exit-status.ts';
import { findGateway, type GatewayRecord } from '../gateway/gateway-file.ts';
import { closeSessions } from '../sign-in/close-sessions.ts';
import { jsonLine } from '../render/run-json.ts';
import type { stopSpec } from './gateway-specs.ts';

/* Twice what a stop may take. */
const waitMsMax = 10_000;
const lookEveryMs = 25;

export async function execute(context: CallOf<typeof stopSpec>): Promise<ExitStatus> {
  const { io, config } = context;
  const [typed] = context.operands.runs;
  if (typed !== undefined) {
    throw usageError('stop ends the gateway, and takes no name', `A run: clf kill ${typed}`);
  }
  const record = runningGateway(config.stateDir);
  const closed = context.flags.closeSessions ? await closeSessions(context) : 0;
  await end(context, record);
  const { url, pid } = record;
  const sessions = closed === 0 ? '' : ` ${closed} sessions were closed.`;
  await io.stdout.write(
    context.isJson
      ? jsonLine({ stopped: true, url, pid, closedSessions: closed })
      : `The gateway has stopped.${sessions} What runs goes on: clf ps\n`,
  );
  return codeStatus(exitOk);
}

function runningGateway(stateDir: string): GatewayRecord {
  const found = findGateway(stateDir);
  switch (found.kind) {
    case 'running':
      return found.record;
    case 'elsewhere':
      throw new CliError('gateway-elsewhere', 'the gateway runs in another container', {
        hint: 'Stop it there: its process cannot be verified from here, so no signal is sent.',
        detail: { url: found.record.url },
      });
    case 'none':
    case 'stale':
      throw new CliError('gateway-not-running', `no gateway runs for ${stateDir}`, {
        hint: 'Start one: clf serve',
        detail: { stateDir },
      });
  }
}

async function end({ clock }: CommandContext, record: GatewayRecord): Promise<void> {
  const { pid } = record;
  // O5: looked at again right before, since its sessions may have taken a while.
  if (isProcessAlive(record)) process.kill(pid, 'SIGTERM');
  const untilMs = clock.monotonicMs() + waitMsMax;
  while (isProcessAlive(record)) {
    if (clock.monotonicMs() > untilMs) {
      throw new CliError('gateway-stop-overdue', `process ${pid} has not ended`, {
        hint: `It was sent SIGTERM. Killing it does not harm any run: kill -9 ${pid}`,
        detail: { pid },
      });
    }
    await clock.sleep(lookEveryMs);
  }
}
