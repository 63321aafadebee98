/*
 * `clf login [URL]`: signs this user in to a gateway and keeps the token, 0600, for the commands that call one.
 *
 * On the gateway's own machine nothing has to be typed: whoever may write into its state directory is its owner, and leaves a
 * login link there. Elsewhere it takes a link or a token, pasted and not echoed, or out of a file; never from an argument, where
 * other users would see it.
 */
import { readFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import type { CallOf, CommandContext } from '../command.ts';
import { CliError, usageError } from '../errors.ts';
import { codeStatus, type ExitStatus, exitOk } from '../exit-status.ts';
import { drawQr } from '../gateway/draw-qr.ts';
import { findGateway } from '../gateway/gateway-file.ts';
import { formatLoginLink } from '../gateway/login-link.ts';
import { formatLink } from '../gateway/serve-text.ts';
import { askSecret } from '../hosts/ask-secret.ts';
import { findTarget, localTarget, type Target } from '../hosts/find-host.ts';
import { readHosts, type StoredHost, writeHosts } from '../hosts/hosts-file.ts';
import { refuseInsideRun } from '../hosts/inside-run.ts';
import { createClientOf } from '../hosts/open-client.ts';
import { type LoginSecret, parseLoginSecret } from '../hosts/login-secret.ts';
import { jsonLine } from '../render/run-json.ts';
import { leaveLoginLink } from '../serve.ts';
import type { loginSpec } from './host-specs.ts';

type LoginCall = CallOf<typeof loginSpec>;

export async function execute(context: LoginCall): Promise<ExitStatus> {
  const { config, io } = context;
  const { url: typed } = context.operands;
  if (context.flags.link) return showLink(context);
  const named = typed ?? config.values.host;
  const target = named === undefined ? ownGateway(context) : findTarget(context, named);
  const secret = await secretFor(context, target);
  const stored = await signIn(context, target, secret);
  keep(context, stored);
  const { name, url, account, expiresAt } = stored;
  await io.stdout.write(
    context.isJson
      ? jsonLine({ name, url, account, expiresAt })
      : `Signed in to ${url} as ${account}.\nTry: clf runs ls\n`,
  );
  return codeStatus(exitOk);
}

function ownGateway({ config }: CommandContext): Target {
  const target = localTarget(config.stateDir, readHosts(config));
  if (target !== undefined) return target;
  throw new CliError('gateway-not-running', `no gateway runs for ${config.stateDir}`, {
    hint: 'Start one: clf serve. Or sign in to one elsewhere: clf login https://…',
    detail: { stateDir: config.stateDir },
  });
}

async function secretFor(context: LoginCall, target: Target): Promise<LoginSecret> {
  const { io, config } = context;
  const { linkFile: file } = context.flags;
  if (file !== undefined) {
    return parseLoginSecret(
      file === '-' ? await askSecret(io, '') : readFileSync(file, 'utf8').trim(),
    );
  }
  const { url: typed = '' } = context.operands;
  if (typed.includes('#')) return parseLoginSecret(typed);
  if (target.isLocal) {
    refuseInsideRun(config.pid);
    const secret = await leaveLoginLink({ ...context, stateDir: config.stateDir });
    return { kind: 'link', secret, origin: undefined };
  }
  return parseLoginSecret(await askSecret(io, `Login link or token for ${target.url}: `));
}

async function signIn(
  { config, flags }: LoginCall,
  target: Target,
  given: LoginSecret,
): Promise<StoredHost> {
  const { RefusedError } = await import('@clawdfather/sdk');
  const { url } = target;
  if (given.kind === 'link' && given.origin !== undefined && given.origin !== url) {
    throw usageError(`that link is for ${given.origin}, not for ${url}`);
  }
  const name = flags.name ?? target.name;
  const stateDir = target.isLocal ? config.stateDir : null;
  try {
    if (given.kind === 'token') {
      const { token } = given;
      const { account, via } = await (await createClientOf(target, token)).auth.me();
      return {
        name,
        url,
        token,
        account: account.display_name,
        expiresAt: via.expires_at,
        stateDir,
      };
    }
    const body = { link: given.secret, device: deviceName() };
    const answer = await (await createClientOf(target)).auth.loginLink({ body });
    const { token = '', account, expires_at: expiresAt } = answer;
    return { name, url, token, account: account.display_name, expiresAt, stateDir };
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

function keep({ config }: CommandContext, stored: StoredHost): void {
  const isOther = ({ name, url, stateDir }: StoredHost): boolean => {
    if (stored.stateDir !== null || stateDir !== null) return stateDir !== stored.stateDir;
    return name !== stored.name && url !== stored.url;
  };
  writeHosts(config, [...readHosts(config).filter(isOther), stored], config.pid);
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
  const isDrawn = io.stdout.isTerminal && !flags.noQr;
  const qr = isDrawn ? drawQr(loginLink, io.columns() ?? 0) : undefined;
  await io.stdout.write(`${formatLink({ loginLink, qr }, paint).join('\n')}\n`);
  return codeStatus(exitOk);
}
