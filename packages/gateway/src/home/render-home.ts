/*
 * The page at `/`, as text: for a caller that is signed in what waits, what runs and which devices are in; for everyone else what
 * this is and how to sign in. Buttons are forms (register-home.ts); a script keeps the list of runs up to date, and is not needed.
 *
 * Commands, names and reasons were written by others. Characters that hide or reorder text are shown by their code, and everything
 * is escaped where it is put into the page.
 */
import type { AnswerOf, Api } from '@clawdfather/protocol/api';
import { directoryOnHost, localHost } from '@clawdfather/supervisor/origins';
import { makeVisible } from '@clawdfather/tools/text';
import { escapeHtml } from '../http/escape-html.ts';
import type { ApprovalJson } from '../runs/approval-json.ts';
import type { RunJson } from '../runs/run-json.ts';
import { formatAgo, formatLeft, formatStanding, moodOf } from './run-words.ts';

type Device = AnswerOf<Api['auth']['devices']>['items'][number];

interface Shown<Item> {
  readonly items: readonly Item[];
  /* Of all there are. */
  readonly total: number;
}

export interface HomeFacts {
  readonly account: string;
  readonly nowMs: number;
  /* What came of the last button, if it has to be said. */
  readonly notice: string | undefined;
  readonly approvals: Shown<ApprovalJson>;
  readonly runs: Shown<RunJson>;
  readonly devices: Shown<Device>;
}

/* A command on a line; the whole is in `clf show`. */
const commandCharactersMax = 300;
/* As the command line shows ids, and takes them. */
const idCharacters = 12;

export function renderHome(facts: HomeFacts): string {
  const { account, notice, approvals, runs, devices } = facts;
  const waiting = approvals.total === 0 ? '' : `<span class="count">${approvals.total}</span>`;
  return renderPage(`<header><h1>Clawdfather</h1>
<form method="post" action="/pages/sign-out"><span>${shown(account)}</span> <button>Sign out</button></form></header>
${notice === undefined ? '' : `<p class="notice" role="status">${escapeHtml(notice)}</p>`}
<section><h2>Waiting for you ${waiting}</h2>${renderList(approvals, (one) => renderApproval(one, facts), 'Nothing waits for your decision.')}</section>
<section id="runs"><h2>Runs</h2>${renderList(runs, (one) => renderRun(one, facts), 'Nothing has run yet. Start something: <code>clf run -- make test</code>')}</section>
<section><h2>Devices</h2>${renderList(devices, (one) => renderDevice(one, facts), '')}</section>
<footer><a href="/">Reload</a> · <a href="/api/docs">What programs can do here</a></footer>
<p id="changed" role="status" hidden>What waits for you has changed. <a href="/">Show it</a></p>
<script type="module" src="/pages/home.js"></script>`);
}

export function renderWelcome({ offersGithub }: { readonly offersGithub: boolean }): string {
  const github = offersGithub
    ? '<p><a class="button" href="/login">Sign in with GitHub</a></p>'
    : '';
  return renderPage(`<header><h1>Clawdfather</h1></header>
<section><h2>You are not signed in</h2>
<p>This gateway runs commands and coding agents that go on when you leave. Once you are signed in, this page shows them.</p>
<p>Make a link on the machine that runs the gateway, and open it in this browser. It works once, within ten minutes:</p>
<pre>clf login --link</pre>${github}</section>`);
}

function renderPage(body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Clawdfather</title>
<link rel="stylesheet" href="/pages/home.css"></head>
<body><main>
${body}
</main></body></html>
`;
}

function renderList<Item>(
  { items, total }: Shown<Item>,
  render: (item: Item) => string,
  nothing: string,
): string {
  if (items.length === 0) return `<p class="nothing">${nothing}</p>`;
  const more =
    total > items.length ? `<p class="nothing">and ${total - items.length} more</p>` : '';
  return `<ul>${items.map((item) => `<li>${render(item)}</li>`).join('\n')}</ul>${more}`;
}

/* Everything that starts is shown: a person decides about what they see. */
function renderApproval(approval: ApprovalJson, { nowMs }: HomeFacts): string {
  const { id, line, argv, cwd, env, stdin, host, runAs, requester, why, bound } = approval;
  const command = line ?? (argv ?? []).map(quoted).join(' ');
  const additions = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const facts = [
    ['in', host === localHost ? cwd : directoryOnHost(cwd)],
    ...(host === localHost ? [] : [['on', host]]),
    ...(runAs === null ? [] : [['as', runAs]]),
    ['asked by', requester],
    ['why', why],
    ...(additions.length === 0 ? [] : [['with', additions.join('\n')]]),
    ...(stdin === null ? [] : [['reads', stdin]]),
    ...(bound === null ? [] : [['bound to', boundText(bound)]]),
  ] as const;
  // The wire has made hidden characters visible already; line ends stay.
  return `<pre>${escapeHtml(command)}</pre>
<dl>${facts.map(([name = '', value = '']) => `<dt>${name}</dt><dd>${escapeHtml(value)}</dd>`).join('')}</dl>
<p class="when">asked ${formatAgo(nowMs, approval.createdAt)}, ${formatLeft(nowMs, approval.expiresAt)}</p>
<form data-request="${escapeHtml(id)}" method="post" action="/pages/approvals/${escapeHtml(id)}"><button name="decision" value="allow-once" class="good">Allow once</button>
<button name="decision" value="deny" class="bad">Deny</button></form>`;
}

function boundText({ files, unbound, more }: NonNullable<ApprovalJson['bound']>): string {
  const paths = files.map(({ path }) => path);
  const others = unbound.map(({ path, why }) => `not ${path}: ${why}`);
  return ['its directory', ...paths, ...others, ...(more > 0 ? [`not ${more} more`] : [])].join(
    '\n',
  );
}

function renderRun(run: RunJson, { nowMs }: HomeFacts): string {
  const { runId, name, command } = run;
  const title = name === null ? '' : `<strong>${shown(name)}</strong> `;
  const when = whenOf(run, nowMs);
  return `<p>${title}<code>${shown(command.slice(0, commandCharactersMax))}</code></p>
<p><span class="${moodOf(run)}">${escapeHtml(formatStanding(run))}</span> <span class="when">${when} · ${escapeHtml(runId.slice(0, idCharacters))} · <a href="/pages/runs/${escapeHtml(runId)}">output</a></span></p>`;
}

export interface RunFacts {
  readonly run: RunJson;
  readonly nowMs: number;
  /* The end of its output, without colours. */
  readonly text: string;
  /* There is more before it. */
  readonly isCut: boolean;
}

/* One run with the end of its output, for a look from afar. */
export function renderRunPage({ run, nowMs, text, isCut }: RunFacts): string {
  const { runId, name, command } = run;
  const id = escapeHtml(runId.slice(0, idCharacters));
  const cut = isCut
    ? `<p class="nothing">Only its end. All of it: <code>clf logs ${id}</code></p>`
    : '';
  const output =
    text === ''
      ? '<p class="nothing">It has written nothing.</p>'
      : `<pre class="output">${text.split('\n').map(shownLine).join('\n')}</pre>`;
  return renderPage(`<header><h1>${shown(name ?? runId.slice(0, idCharacters))}</h1><a href="/">Back</a></header>
<section><pre>${shown(command)}</pre>
<p><span class="${moodOf(run)}">${escapeHtml(formatStanding(run))}</span> <span class="when">${whenOf(run, nowMs)} · ${id} · <a href="">reload</a></span></p>
${cut}${output}</section>`);
}

/* And where, if not here. */
function whenOf({ endedAt, startedAt, createdAt, host }: RunJson, nowMs: number): string {
  const when =
    endedAt === undefined
      ? `started ${formatAgo(nowMs, startedAt ?? createdAt)}`
      : formatAgo(nowMs, endedAt);
  return host === localHost ? when : `${when} on ${shown(host)}`;
}

function renderDevice(device: Device, { nowMs }: HomeFacts): string {
  const { id, device: name, is_current: isCurrent, last_used_at: usedAt } = device;
  const button = isCurrent
    ? '<span class="when">this one</span>'
    : `<form method="post" action="/pages/devices/${escapeHtml(id)}"><button>Sign out</button></form>`;
  return `<div class="row"><p>${shown(name)}<br><span class="when">used ${formatAgo(nowMs, usedAt)}</span></p>${button}</div>`;
}

/* Tabs stay, as on a terminal. */
function shownLine(line: string): string {
  return line.split('\t').map(shown).join('\t');
}

function shown(text: string): string {
  return escapeHtml(makeVisible(text));
}

/* Arguments with blanks or nothing in them are seen as what they are. */
function quoted(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}
