/*
 * Getting in, step by step: what was given is tried, another device may have to confirm, and whatever is in the way is said.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Client, RefusedError } from '@clawdfather/sdk';
import { useApp } from '../app-context.ts';
import { type Problem, problemOf } from '../data/problem.ts';
import { type Given, parseGiven } from './parse-given.ts';
import { formatLostCookie, placeOf } from './place-words.ts';

export type GetInState =
  | { readonly kind: 'idle'; readonly problem: Problem | undefined }
  | { readonly kind: 'trying' }
  /* The other device shows what this one is called; this one shows whose account it is. */
  | { readonly kind: 'waiting'; readonly device: string; readonly account: string }
  /* Too many attempts; by the monotonic clock, which nobody can set wrong. */
  | { readonly kind: 'locked'; readonly untilMs: number };

export interface GetIn {
  readonly state: GetInState;
  readonly enter: (text: string) => Promise<void>;
  readonly enterGiven: (given: Given) => Promise<void>;
  readonly goToGithub: () => Promise<void>;
  readonly stopWaiting: () => void;
}

/* One question waits so long for the other device; a proxy's usual patience is 60 s. */
const waitMs = 25_000;

export function useGetIn(): GetIn {
  const { client, clock, membership } = useApp();
  const [state, setState] = useState<GetInState>({ kind: 'idle', problem: undefined });
  const waiting = useRef(new AbortController());
  useEffect(() => () => waiting.current.abort(), []);
  const fail = (problem: Problem): void => setState({ kind: 'idle', problem });
  const tryTo = async (work: (signal: AbortSignal) => Promise<unknown>): Promise<void> => {
    waiting.current = new AbortController();
    const { signal } = waiting.current;
    setState({ kind: 'trying' });
    try {
      const isIn = await membership.signIn(() => work(signal));
      if (!isIn) fail(inWords(formatLostCookie(placeOf(window))));
    } catch (error) {
      if (signal.aborted) return;
      const retryAfterMs = error instanceof RefusedError ? error.refusal.retryAfterMs : undefined;
      if (retryAfterMs === undefined) {
        return fail(error instanceof NotLetIn ? error.problem : problemOf(error));
      }
      setState({ kind: 'locked', untilMs: clock.monotonicMs() + retryAfterMs });
    }
  };
  const claim = (by: Claimed): Promise<void> =>
    tryTo((signal) =>
      waitUntilLetIn(client, by, {
        signal,
        onWaiting: (names) => setState({ kind: 'waiting', ...names }),
      }),
    );
  const enterGiven = async (given: Given): Promise<void> => {
    switch (given.kind) {
      case 'link':
        return tryTo(() => client.auth.loginLink({ body: { link: given.secret, cookie: true } }));
      case 'claim':
        return claim({ link: given.secret });
      case 'code':
        return claim({ code: given.code });
      case 'refused':
        return fail(githubRefused);
      case 'cut-off':
        return fail(notWhole);
      case 'unknown':
        return fail(notKnown);
    }
  };
  return {
    state,
    enterGiven,
    enter: (text) => enterGiven(parseGiven(text)),
    goToGithub: async () => {
      setState({ kind: 'trying' });
      try {
        const { authorize_url: address } = await client.auth.startGithub({ body: {} });
        location.assign(address);
      } catch (error) {
        fail(problemOf(error));
      }
    },
    stopWaiting: () => {
      waiting.current.abort();
      setState({ kind: 'idle', problem: undefined });
    },
  };
}

type Claimed = { readonly code: string } | { readonly link: string };

interface ClaimNames {
  readonly device: string;
  readonly account: string;
}

async function waitUntilLetIn(
  { loginCodes }: Client,
  by: Claimed,
  { signal, onWaiting }: { signal: AbortSignal; onWaiting: (names: ClaimNames) => void },
): Promise<void> {
  const { device, account } = await loginCodes
    .claim({ body: { ...by, cookie: true } }, { signal })
    .catch((error: unknown) => {
      const isWrong = error instanceof RefusedError && error.refusal.code === 'invalid_link';
      throw isWrong && 'code' in by ? new NotLetIn('wrong') : error;
    });
  onWaiting({ device, account: account.display_name });
  for (;;) {
    const { state } = await loginCodes.finish({ body: { wait_ms: waitMs } }, { signal });
    if (state === 'used') return;
    if (state !== 'claimed') throw new NotLetIn(state);
  }
}

/* The other device said no, or nothing in time; or there is no such code. */
class NotLetIn extends Error {
  readonly problem: Problem;

  constructor(why: 'refused' | 'expired' | 'wrong') {
    super(why);
    this.problem = { refused: notConfirmed, expired: tooLate, wrong: wrongCode }[why];
  }
}

function inWords({ title, text }: { readonly title: string; readonly text: string }): Problem {
  return { text: `${title}.`, hint: text, traceId: undefined, kind: 'refused' };
}

const notWhole = inWords({
  title: 'This link is not whole',
  text: 'A part was lost while copying. Copy all of it, or make a new one: clf login --link',
});
const notKnown = inWords({
  title: 'This is neither a link nor a code',
  text: 'A link has #clf-link= in it. A code has eight characters, such as 7K2M-94QX.',
});
const githubRefused = inWords({
  title: 'GitHub’s sign-in did not lead here',
  text: 'It was cancelled, took too long, or this account may not use the gateway. Try again, or use a link.',
});
const notConfirmed = inWords({
  title: 'The other device refused',
  text: 'Make a new code there if that was a mistake.',
});
const wrongCode = inWords({
  title: 'This code is wrong',
  text: 'It was mistyped, it is used, or its two minutes are over. Compare it with the other device, or make a new one there.',
});
const tooLate = inWords({
  title: 'The code has ended',
  text: 'A code is good for two minutes. Make a new one on the other device.',
});
