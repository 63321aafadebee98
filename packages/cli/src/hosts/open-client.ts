/*
 * The API of the gateway that is meant, with our token; and its refusals in words that say what to do.
 */
import type { Client } from '@clawdfather/sdk';
import { CodedError } from '@clawdfather/kit';
import type { CommandContext } from '../command.ts';
import { CliError } from '../errors.ts';
import { findTarget, type Target } from './find-host.ts';

export interface OpenedHost {
  readonly client: Client;
  readonly target: Target;
}

export async function openHost(
  context: Pick<CommandContext, 'config'>,
  named?: string,
): Promise<OpenedHost> {
  const target = findTarget(context, named);
  if (target.host === undefined) throw notSignedIn(target);
  return { client: await createClientOf(target, target.host.token), target };
}

/* Without a token: for signing in. */
export async function createClientOf(
  { url, certificate }: Pick<Target, 'url' | 'certificate'>,
  token?: string,
): Promise<Client> {
  const { createClient } = await import('@clawdfather/sdk');
  const pinned =
    certificate === undefined
      ? {}
      : { fetch: (await import('./pinned-fetch.ts')).createPinnedFetch(certificate) };
  return createClient({ baseUrl: url, ...(token === undefined ? {} : { token }), ...pinned });
}

/* Runs the work; a refusal of the gateway becomes an error with the API's own code. */
export async function withHost<Result>(
  context: Pick<CommandContext, 'config'>,
  work: (host: OpenedHost) => Promise<Result>,
): Promise<Result> {
  const opened = await openHost(context);
  try {
    return await work(opened);
  } catch (error) {
    throw await explainRefusal(opened.target, error);
  }
}

/* Any other error as it is. */
export async function explainRefusal(target: Target, error: unknown): Promise<unknown> {
  const { RefusedError } = await import('@clawdfather/sdk');
  if (!(error instanceof RefusedError)) return error;
  const { code } = error.refusal;
  if (code === 'unauthorized') return notSignedIn(target, error);
  const hint =
    code === 'still_running' ? 'End it first: clf runs kill, or both: clf runs rm -f' : error.hint;
  return new CodedError(code, error.message, {
    cause: error.cause,
    detail: error.detail,
    ...(hint === undefined ? {} : { hint }),
  });
}

function notSignedIn({ url, isLocal }: Target, cause?: unknown): CliError {
  const why = cause === undefined ? 'you are not signed in to' : 'your sign-in has ended at';
  return new CliError('not-signed-in', `${why} ${url}`, {
    hint: isLocal ? 'Sign in: clf login' : `Sign in: clf login ${url}`,
    detail: { url },
  });
}
