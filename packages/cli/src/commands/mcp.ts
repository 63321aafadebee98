/*
 * `clf mcp`: an MCP server on stdin and stdout, for one agent.
 *
 * stdout carries the protocol and nothing else; the log goes to stderr as JSON. It ends when stdin does, on SIGTERM, SIGINT and
 * SIGHUP, and when nobody reads stdout any more; each is the same to the runs, which go on.
 *
 * In a run that was started with tools, the server is outside of the shield; then we become the relay to it.
 */
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createJsonLog, type Log } from '@clawdfather/kit';
import { localAccount, localSession } from '@clawdfather/supervisor/origins';
import type { CallOf, CommandContext } from '../command.ts';
import { chosen, isByFlag } from '../config.ts';
import { CliError } from '../errors.ts';
import { codeStatus, type ExitStatus, exitOk } from '../exit-status.ts';
import { keepOwnCode } from '../keep-own-code.ts';
import { openOnce } from '../mcp/opened-once.ts';
import { becomeRelay, toolSocketFrom } from '../mcp/become-relay.ts';
import { openProtocolOutput } from '../mcp/protocol-output.ts';
import { readVersion } from './version.ts';
import type { mcpSpec } from './mcp-spec.ts';

/* The runs of whoever sits at this machine; the gateway will have accounts. */
const account = localAccount;
const sessionId = localSession;

/* Beside src and dist alike; it need not be on the agent's path. */
const ownPath = fileURLToPath(new URL('../../bin/clawdfather', import.meta.url));

/* Who types it at a terminal expected something else. */
const forPeople = `clf: this is an MCP server; it waits for an agent's messages on stdin.
  Add it to an agent instead: claude mcp add clawdfather -- ${ownPath} mcp (Ctrl-D leaves)
`;

const endingSignals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

export async function execute(context: CallOf<typeof mcpSpec>): Promise<ExitStatus> {
  const { io, clock, config } = context;
  const socket = toolSocketFrom(config.env);
  if (socket !== undefined) {
    await warnOfFlags(context);
    return becomeRelay(socket, config.env);
  }
  const directory = await directoryFrom(context.flags.workdir, config.cwd);
  const log = logOf(context);
  const [{ serveMcpStdio }, { openAgentTools }] = await Promise.all([
    import('@clawdfather/tools/mcp'),
    import('../mcp/open-agent-tools.ts'),
  ]);
  keepOwnCode();
  await using opened = openOnce(
    () => openAgentTools({ ...context, log, directory, account }),
    (error) => log.error('mcp-open-failed', { error }),
  );
  using output = openProtocolOutput(io.stdout);
  const connection = serveMcpStdio(
    {
      tools: opened.tools,
      takenOver: opened.takenOver,
      clock,
      log,
      version: readVersion(),
      account,
      sessionId,
      directory,
      execDefaults: execDefaults(context),
      ...(await sessionsOf(context)),
    },
    { read: (signal) => io.stdin.read(signal), write: output.write },
  );
  using listening = new DisposableStack();
  for (const name of endingSignals) {
    listening.use(io.signals.on(name, () => void connection.close()));
  }
  if (io.stdin.isTerminal) await io.stderr.write(forPeople);
  log.event('mcp-serving', { directory, policy: policyOf(context) });
  await connection.closed;
  log.event('mcp-closed');
  return codeStatus(exitOk);
}

/* The server of an agent in a thread also has the tools about other sessions. */
async function sessionsOf({ config, clock, random }: CommandContext) {
  const { agentKeyVariable } = await import('@clawdfather/tools');
  const keyFile = config.env[agentKeyVariable] ?? '';
  if (keyFile === '') return {};
  const { createSessionsThroughGateway } = await import('../mcp/sessions-through-gateway.ts');
  const { stateDir } = config;
  return { sessions: createSessionsThroughGateway({ stateDir, keyFile, clock, random }) };
}

/* Of the server outside, whose settings are a person's. */
async function warnOfFlags({ io, flags, config }: CallOf<typeof mcpSpec>): Promise<void> {
  const isGiven =
    flags.workdir !== undefined ||
    isByFlag(config, 'policy.mcp.security') ||
    isByFlag(config, 'policy.mcp.ask');
  if (!isGiven) return;
  const text =
    'clf: flags have no effect in here: the server is outside, with the settings there\n';
  await io.stderr.write(text).catch(() => {});
}

/* Whoever reads it is an agent's log file: warnings are worth having without being asked for. */
function logOf({ clock, io, config }: CommandContext): Log {
  return createJsonLog({
    clock,
    levelMin: config.logLevel ?? 'warn',
    // A log that cannot be written is no reason to fail.
    write: (line) => void io.stderr.write(line).catch(() => {}),
  });
}

function policyOf({ config }: CommandContext) {
  return { security: config.values['policy.mcp.security'], ask: config.values['policy.mcp.ask'] };
}

/* Only what somebody chose: what is usual depends on the host of each command. */
function execDefaults({ config }: CommandContext) {
  const timeoutMs = chosen(config, 'exec.timeout');
  const idleMs = chosen(config, 'exec.idleTimeout');
  const isTimeoutChosen = config.origins['exec.timeout'].kind !== 'default';
  return {
    yieldMs: config.values['exec.yield'],
    leftovers: config.values['exec.leftovers'],
    cols: config.values['terminal.cols'],
    rows: config.values['terminal.rows'],
    ...(isTimeoutChosen ? { timeoutSeconds: (timeoutMs ?? 0) / 1_000 } : {}),
    ...(idleMs === undefined ? {} : { noOutputTimeoutSeconds: idleMs / 1_000 }),
  };
}

async function directoryFrom(named: string | undefined, cwd: string): Promise<string> {
  const directory = resolve(cwd, named ?? '.');
  const found = await stat(directory).catch(() => undefined);
  if (found?.isDirectory() === true) return directory;
  throw new CliError('usage', `--workdir ${directory} is not a directory`);
}
