/*
 * `clf serve`: the gateway, until it is asked to stop.
 *
 * Stages: 1 refuse a second one for the same state directory, also while the first only starts · 2 as process 1, run again under an
 * init (E1) · 3 open · 4 say where it is, to people and in gateway.json · 5 wait · 6 close within five seconds. None of them touches a
 * run: shims hold those.
 */
import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { Log } from '@clawdfather/kit';
import { shellWord } from '@clawdfather/kit/files';
import { startTicksOf } from '@clawdfather/supervisor/alive';
import type { CallOf, CommandContext } from '../command.ts';
import { CliError } from '../errors.ts';
import { codeStatus, type ExitStatus, exitOk } from '../exit-status.ts';
import { drawQr, isForPhones } from '../gateway/draw-qr.ts';
import { gatewayConfigFrom } from '../gateway/gateway-config.ts';
import {
  findGateway,
  type GatewayRecord,
  readIdentity,
  removeGatewayFile,
  writeGatewayFile,
} from '../gateway/gateway-file.ts';
import { claimStart } from '../gateway/start-claim.ts';
import { writeSecretPaths } from '../gateway/secret-paths.ts';
import { openServeLog } from '../gateway/serve-log.ts';
import { formatServing } from '../gateway/serve-text.ts';
import { listenForStop, type StopSignals } from '../gateway/stop-signals.ts';
import { keepOwnCode } from '../keep-own-code.ts';
import { jsonLine } from '../render/run-json.ts';
import { explainOpenFailure } from '../runs/open-failure.ts';
import { type Gateway, type GatewayConfig, openServer } from '../serve.ts';
import { readVersion } from './version.ts';
import type { serveSpec } from './gateway-specs.ts';

/* Five seconds for everything, the end of the process included: an upgrade should not be felt. */
const closeMsMax = 4_500;

export async function execute(context: CallOf<typeof serveSpec>): Promise<ExitStatus> {
  const { config } = context;
  const { stateDir } = config;
  refuseSecond(stateDir);
  if (config.pid === 1) (await import('../gateway/process-one.ts')).rerunUnderInit(config.umask);
  using starting = claimStart(stateDir, config.pid);
  // One that was starting may have come up between the two looks.
  refuseSecond(stateDir);
  const settings = {
    ...gatewayConfigFrom(context, readVersion()),
    acceptsLostKeys: context.flags.acceptLostKeys,
  };
  await using serveLog = await openServeLog(context);
  const { log } = serveLog;
  using stopping = listenForStop(context.io);
  keepOwnCode();
  const gateway = await open(context, settings, log);
  const record = recordOf(context, settings, gateway);
  await announce(stateDir, record, gateway);
  starting[Symbol.dispose]();
  try {
    await tell(context, settings, gateway);
    const name = await Promise.race([stopping.asked, supersededBy(gateway)]);
    log.event('gateway.stop-asked', { why: name });
  } finally {
    forget(stateDir, record, log);
  }
  const status = await close(context, gateway, { stopping, log });
  log.event('gateway.stopped');
  return status;
}

/* Whoever cannot be found is of no use. */
async function announce(stateDir: string, record: GatewayRecord, gateway: Gateway): Promise<void> {
  try {
    writeGatewayFile(stateDir, record);
  } catch (error) {
    // Closing may make room, and the reason would be gone.
    const explained = await explainOpenFailure(error, stateDir);
    await gateway.close();
    throw explained;
  }
}

/* A disk that takes nothing keeps the file; it names a process that is gone, and is believed by nobody. */
function forget(stateDir: string, record: GatewayRecord, log: Log): void {
  try {
    removeGatewayFile(stateDir, record);
  } catch (error) {
    log.warn('gateway.file-stays', { error: String(error) });
  }
}

async function open(
  { clock, random, config }: CommandContext,
  settings: GatewayConfig,
  log: Log,
): Promise<Gateway> {
  try {
    // Before it listens: from then on its agents could ask.
    writeSecretPaths(config);
    return await openServer(settings, { clock, random, log });
  } catch (error) {
    throw await explainOpenFailure(error, config.stateDir);
  }
}

/* A newer gateway has taken over our state directory: to act on would be to act against it. */
function supersededBy({ superseded }: Gateway): Promise<'superseded'> {
  const { promise, resolve } = Promise.withResolvers<'superseded'>();
  if (superseded.aborted) resolve('superseded');
  superseded.addEventListener('abort', () => resolve('superseded'), { once: true });
  return promise;
}

function refuseSecond(stateDir: string): void {
  const found = findGateway(stateDir);
  if (found.kind !== 'running') return;
  const { url, pid } = found.record;
  throw new CliError('gateway-running', `a gateway for this state directory runs already: ${url}`, {
    hint: `It is process ${pid}. How it is: clf status. End it: clf stop.`,
    detail: { url, pid, stateDir },
  });
}

function recordOf(
  { config, clock }: CommandContext,
  settings: GatewayConfig,
  { url }: Gateway,
): GatewayRecord {
  return {
    url,
    pid: config.pid,
    startTicks: startTicksOf(config.pid) ?? 0,
    ...readIdentity(),
    version: settings.version,
    startedAtMs: clock.wallMs(),
    database: settings.database.kind,
    publicUrl: settings.publicUrl ?? null,
    certificate:
      settings.tls === undefined ? null : new X509Certificate(settings.tls.cert).fingerprint256,
  };
}

async function tell(
  context: CallOf<typeof serveSpec>,
  { publicUrl, listen }: GatewayConfig,
  gateway: Gateway,
): Promise<void> {
  const { io, config, paint } = context;
  const { url } = gateway;
  // A journal is kept and read by others; a link that signs somebody in does not belong there.
  const isJournal = !io.stdout.isTerminal && (config.env['JOURNAL_STREAM'] ?? '') !== '';
  const loginLink = isJournal ? undefined : await gateway.createLoginLink();
  if (context.isJson) {
    const facts = { url, publicUrl: publicUrl ?? null, loginLink: loginLink ?? null };
    await io.stdout.write(jsonLine({ ...facts, pid: config.pid, stateDir: config.stateDir }));
    return;
  }
  const isDrawn = io.stdout.isTerminal && !context.flags.noQr && isForPhones(publicUrl);
  const isQr = isDrawn && loginLink !== undefined;
  const qr = isQr ? drawQr(loginLink, io.columns() ?? 0) : undefined;
  const isLoopback = listen.host === 'localhost' || isIP(listen.host) === 0 || isLocal(listen.host);
  const isByNpm = config.env['npm_lifecycle_event'] === 'start';
  const stateFlag = stateFlagOf(config);
  const facts = { url, publicUrl, loginLink, qr, isLoopback, isByNpm, stateFlag };
  // Who started it and went away has left it to run.
  await io.stdout.write(formatServing(facts, paint)).catch(() => {});
}

/* The config file is the same in another terminal; flags and variables are those of this one. */
function stateFlagOf({ origins, stateDir }: CommandContext['config']): string {
  const { kind } = origins.stateDir;
  if (kind !== 'flag' && kind !== 'environment') return '';
  return ` --state-dir ${shellWord(stateDir)}`;
}

function isLocal(address: string): boolean {
  return address.startsWith('127.') || address === '::1';
}

/*
 * Closing lets go in peace. What hangs, also after that, is left to the kernel, which is what a crash would be: the timer keeps
 * nothing alive, and finds the process gone when all went well.
 */
async function close(
  { clock, io }: CommandContext,
  gateway: Gateway,
  { stopping, log }: { readonly stopping: StopSignals; readonly log: Log },
): Promise<ExitStatus> {
  const overdue = clock.timer(closeMsMax, () => {
    log.error('gateway.stop-overdue', { afterMs: closeMsMax });
    void io.stderr.write('').finally(() => io.signals.endSelf());
  });
  overdue.unref();
  const outcome = await Promise.race([
    gateway.close().then(() => 'closed' as const),
    stopping.hurried,
  ]);
  return outcome === 'closed' ? codeStatus(exitOk) : { kind: 'signal', signal: outcome };
}
