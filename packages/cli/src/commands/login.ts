/*
 * `clf login [URL]`: signs this user in to a gateway and keeps the token, 0600, for the commands that call one.
 *
 * On the gateway's own machine nothing has to be typed: whoever may write into its state directory is its owner, and leaves a
 * login link there. Elsewhere it takes a link or a token, pasted and not echoed, or out of a file; never from an argument, where
 * other users would see it.
 */
import { readFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { resolve } from 'node:path';
import { CodedError, hasCode } from '@clawdfather/kit';
import type { CallOf, CommandContext } from '../command.ts';
import { CliError, usageError } from '../errors.ts';
import { codeStatus, type ExitStatus, exitOk } from '../exit-status.ts';
import { drawQr, isForPhones } from '../gateway/draw-qr.ts';
import { findGateway } from '../gateway/gateway-file.ts';
import { formatLoginLink } from '../gateway/login-link.ts';
import { formatLink } from '../gateway/serve-text.ts';
import { whyUnreadable } from '../io/why-unreadable.ts';
import { askSecret } from '../sign-in/ask-secret.ts';
import { findTarget, localTarget, type Target } from '../sign-in/find-gateway.ts';
import { readGateways, type StoredGateway, writeGateways } from '../sign-in/gateways-file.ts';
import { refuseInsideRun } from '../sign-in/inside-run.ts';
import { createClientOf } from '../sign-in/open-client.ts';
import { type LoginSecret, parseLoginSecret } from '../sign-in/login-secret.ts';
import { jsonLine } from '../render/run-json.ts';
import { leaveLoginLink } from '../serve.ts';
import type { loginSpec } from './sign-in-specs.ts';

type LoginCall = CallOf<typeof loginSpec>;

export async function execute(context: LoginCall): Promise<ExitStatus> {
  const { config, io } = context;
  const { url: typed } = context.operands;
  if (context.flags.link) return showLink(context);
  const { linkFile } = context.flags;
  // Before anything is asked of a gateway: a mistyped name is no reason to talk about the gateway.
  const given = linkFile === undefined ? undefined : await readLinkFile(context, linkFile);
  const named = typed ?? config.values.defaultGateway;
  const target = named === undefined ? ownGateway(context) : findTarget(context, named);
  const secret = given ?? (await secretFor(context, target));
  const stored = await signIn(context, target, secret);
  keep(context, stored);
  const { name, url, account, expiresAt, isDefault = false } = stored;
  await io.stdout.write(
    context.isJson
      ? jsonLine({ name, url, account, expiresAt, isDefault })
      : `Signed in to ${url} as ${account}.\n${isDefault ? whatChanges(name) : ''}`,
  );
  return codeStatus(exitOk);
}

function whatChanges(name: string): string {
  return `From now on commands are about the runs of ${name}: clf ps. For those of this machine: clf ps -g local.\n`;
}

function ownGateway({ config }: CommandContext): Target {
  const target = localTarget(config.stateDir, readGateways(config));
  if (target !== undefined) return target;
  throw new CliError('gateway-not-running', `no gateway runs for ${config.stateDir}`, {
    hint: 'Start one: clf serve. Or sign in to one elsewhere: clf login https://…',
    detail: { stateDir: config.stateDir },
  });
}

async function readLinkFile({ io, config }: LoginCall, file: string): Promise<LoginSecret> {
  if (file === '-') return parseLoginSecret(await askSecret(io, ''));
  const path = resolve(config.cwd, file);
  const missing = whyUnreadable(path);
  if (missing === undefined) return parseLoginSecret(readFileSync(path, 'utf8').trim());
  throw new CliError('file-unreadable', missing, {
    hint: '--link-file names a file that contains a login link or a token; - reads it from stdin.',
    detail: { path },
  });
}

async function secretFor(context: LoginCall, target: Target): Promise<LoginSecret> {
  const { io, config } = context;
  const { url: typed = '' } = context.operands;
  if (typed.includes('#')) return parseLoginSecret(typed);
  if (target.isLocal) {
    refuseInsideRun(config.pid);
    const secret = await leaveLoginLink({ ...context, stateDir: config.stateDir });
    return { kind: 'link', secret, origin: undefined };
  }
  await checkThatItAnswers(target);
  return parseLoginSecret(await askSecret(io, `Login link or token for ${target.url}: `));
}

/* Nobody should paste a secret only to hear that the address was mistyped. To be refused is an answer. */
async function checkThatItAnswers(target: Target): Promise<void> {
  const { RefusedError } = await import('@clawdfather/sdk');
  try {
    await (await createClientOf(target)).auth.me();
  } catch (error) {
    if (error instanceof RefusedError) return;
    throw noGatewayThere(target, error);
  }
}

function noGatewayThere({ url }: Target, error: unknown): unknown {
  if (hasCode(error, 'gateway-unreachable')) {
    return new CodedError(error.code, `nothing answers at ${url}`, {
      cause: error.cause,
      hint: 'Check the address. On the machine of the gateway clf status shows it, and clf serve starts one.',
    });
  }
  if (hasCode(error, 'answer-invalid')) {
    return new CodedError(error.code, `what answers at ${url} is no gateway of Clawdfather`, {
      hint: 'Check the address and the port. On the machine of the gateway clf status shows them.',
    });
  }
  return error;
}

async function signIn(
  { config, flags }: LoginCall,
  target: Target,
  given: LoginSecret,
): Promise<StoredGateway> {
  const { RefusedError } = await import('@clawdfather/sdk');
  const { url } = target;
  if (given.kind === 'link' && given.origin !== undefined && given.origin !== url) {
    throw usageError(`that link is for ${given.origin}, not for ${url}`);
  }
  const name = flags.name ?? target.name;
  const stateDir = target.isLocal ? config.stateDir : null;
  // The runs of a gateway of this machine are this machine's, and are had without it.
  const place = { name, url, stateDir, isDefault: !target.isLocal && !flags.noDefault };
  try {
    if (given.kind === 'token') {
      const { token } = given;
      const { account, via } = await (await createClientOf(target, token)).auth.me();
      return { ...place, token, account: account.display_name, expiresAt: via.expires_at };
    }
    const body = { link: given.secret, device: deviceName() };
    const client = await createClientOf(target, tokenBefore(config, place));
    const answer = await client.auth.loginLink({ body });
    const { token = '', account, expires_at: expiresAt } = answer;
    return { ...place, token, account: account.display_name, expiresAt };
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    throw new CliError('sign-in-refused', `${url}: ${error.message}`, {
      cause: error.cause,
      detail: { code: error.refusal.code },
      hint: 'A new link, on the machine of the gateway: clf login --link',
    });
  }
}

/* As it is shown in the list of devices. */
function deviceName(): string {
  return `clf of ${userInfo().username} on ${hostname()}`.slice(0, 64);
}

type Place = Pick<StoredGateway, 'name' | 'url' | 'stateDir'>;

/*
 * The token that this sign-in replaces: with it this machine is the same device, and not another one beside it. It is sent only to
 * where it came from, and only if its entry goes.
 */
function tokenBefore(config: CommandContext['config'], place: Place): string | undefined {
  const isSame = (one: StoredGateway): boolean => one.stateDir !== null || one.url === place.url;
  return readGateways(config).find((one) => isReplaced(one, place) && isSame(one))?.token;
}

function isReplaced({ name, url, stateDir }: StoredGateway, by: Place): boolean {
  if (by.stateDir !== null || stateDir !== null) return stateDir === by.stateDir;
  return name === by.name || url === by.url;
}

function keep({ config }: CommandContext, stored: StoredGateway): void {
  const others = readGateways(config).filter((one) => !isReplaced(one, stored));
  const kept = stored.isDefault === true ? others.map(withoutDefault) : others;
  writeGateways(config, [...kept, stored], config.pid);
}

function withoutDefault({ isDefault: _before, ...gateway }: StoredGateway): StoredGateway {
  return gateway;
}

/* For a phone or a browser, which has no access to the state directory. */
async function showLink(context: LoginCall): Promise<ExitStatus> {
  const { io, flags, config, paint } = context;
  const found = findGateway(config.stateDir);
  if (found.kind !== 'running') ownGateway(context);
  if (found.kind !== 'running') return codeStatus(exitOk);
  refuseInsideRun(config.pid);
  const secret = await leaveLoginLink({ ...context, stateDir: config.stateDir });
  const loginLink = formatLoginLink(found.record.publicUrl ?? found.record.url, secret);
  if (context.isJson) {
    await io.stdout.write(jsonLine({ loginLink }));
    return codeStatus(exitOk);
  }
  const { publicUrl } = found.record;
  const isDrawn = io.stdout.isTerminal && !flags.noQr && isForPhones(publicUrl ?? undefined);
  const qr = isDrawn ? drawQr(loginLink, io.columns() ?? 0) : undefined;
  await io.stdout.write(`${formatLink({ loginLink, qr }, paint).join('\n')}\n`);
  return codeStatus(exitOk);
}
