/*
 * What `clf serve` and `clf login --link` say to whoever sits in front of them.
 */
import type { Paint } from '../render/paint.ts';

export interface ServeFacts {
  readonly url: string;
  /* What people use, where it is another address. */
  readonly publicUrl: string | undefined;
  readonly loginLink: string | undefined;
  /* The link as a picture, already drawn. */
  readonly qr: string | undefined;
  readonly isLoopback: boolean;
  /* `npm start` in a checkout, whose commands are on nobody's path but npm's. */
  readonly isByNpm: boolean;
  /* What follows a command so that it means the same state directory in another terminal: empty, or ` --state-dir DIR`. */
  readonly stateFlag: string;
}

const margin = '  ';

export function formatServing(facts: ServeFacts, paint: Paint): string {
  const address = paint.strong(facts.publicUrl ?? facts.url);
  const listens = facts.publicUrl === undefined ? '' : ` (listening on ${facts.url})`;
  return [
    `Clawdfather is running at ${address}${listens}`,
    '',
    ...(facts.loginLink === undefined
      ? [`${margin}A link to sign in with: clf login --link${facts.stateFlag}`, '']
      : formatLink({ ...facts, loginLink: facts.loginLink }, paint)),
    ...formatReach(facts),
    ...formatNext(facts),
    '',
    paint.dim(
      `${margin}Ctrl-C stops the gateway. What runs goes on, and is there again at the next start.`,
    ),
    '',
  ].join('\n');
}

/* Without a public address no browser but this machine's gets in, whatever is listened on: no other name is known to be ours. */
function formatReach({ isLoopback, publicUrl }: ServeFacts): string[] {
  if (publicUrl !== undefined) return [];
  const [first, second] = isLoopback
    ? [
        'Only this machine can reach it. For a phone: a proxy or tunnel with TLS in front and',
        '--public-url https://…; docs/app.md shows three ways, with their commands.',
      ]
    : [
        'Browsers of other machines are refused until it knows the address that they use:',
        '--public-url https://NAME:PORT',
      ];
  return [`${margin}${first}`, `${margin}${second}`, ''];
}

function formatNext({ isByNpm, stateFlag }: ServeFacts): string[] {
  const [call, where] = isByNpm
    ? ['npx clf', 'another terminal, here']
    : ['clf', 'another terminal'];
  const steps = [
    [`${call} login${stateFlag}`, 'use it from the command line'],
    [`${call} run${stateFlag} -- make test`, 'start something that outlives you'],
    [`${call} status${stateFlag}`, 'how it is'],
  ] as const;
  const width = Math.max(...steps.map(([line]) => line.length));
  return [
    `${margin}Next, in ${where}:`,
    ...steps.map(([line, why]) => `${margin}  ${line.padEnd(width)}  ${why}`),
  ];
}

export function formatLink(
  { loginLink, qr }: { readonly loginLink: string; readonly qr: string | undefined },
  paint: Paint,
): string[] {
  return [
    `${margin}Sign in with this link. It works once, within ten minutes:`,
    '',
    `${margin}${paint.strong(loginLink)}`,
    '',
    ...(qr === undefined ? [] : [indent(qr), '']),
  ];
}

function indent(text: string): string {
  return text
    .split('\n')
    .map((line) => `${margin}${line}`)
    .join('\n');
}
