/*
 * What an agent reads before it calls us, and the only thing it reads. So it says when to use what, what comes back, and which
 * mistakes are common; each sentence has to earn its tokens.
 */
import { processActions } from '@clawdfather/protocol';

export const serverInstructions = `Runs shell commands as supervised runs. A run outlives this server, the client and a crash of either; \
its output is kept from the first byte to the last and can be read at any time by run id. Start with exec; follow, drive and end what goes on in the \
background with process. Never sleep in a loop: process poll waits and returns as soon as there is output or an end. A background run need not be watched at all: when it ends, the \
next result of any call says so.`;

export const execDescription = `Run a command and wait for it, at most yieldMs (default 10 s); what takes longer goes on in the background.

What comes back, by status:
- completed: it ended by itself. exitCode may be non-zero; output is stdout and stderr together.
- running: it goes on, until timeoutAt if it has a time limit. Keep runId and cursor, and call process poll with both to get what comes next. Its end is told by the next result \
of any call, without being asked for.
- failed: it could not be started, or a signal or a time limit ended it; kind says which.
- approval-pending: a person is asked whether it may run; why says the reason. You cannot decide this, and the same program in another spelling is asked about too; \
programs that only read are not. process poll with the runId waits for the decision and then brings the result; meanwhile tell the user.
- denied: it may not run; rule says why, reason what a person said.

How to use it:
- Give command (a /bin/sh line) or argv (no shell, nothing to quote), not both.
- Every call is a new process: cd and variables do not carry over. Use workdir and env.
- Servers, watchers, long builds, and all work that must go on without you: background true. It has no time limit unless you set timeoutSeconds, and nothing that \
happens to you or your connection ends it. A command that is waited for may be cancelled with its call, and is ended after 30 minutes even if it went to the \
background by itself; every result says the limit.
- Programs that want a terminal (editors, REPLs, installers, top): pty true, then process screen and send-keys.
- stdin is left open. A program that reads input to its end (cat, sort, a -c - flag) needs eof true, else it waits.
- Programs that only read (ls, cat, grep, jq, …) run at once, but read only the session directory and the system. To read elsewhere, set ask "always": a person is \
asked, and what is allowed is not confined.
- Long output is cut to its end; the result names the cursor to read the beginning from.`;

export const processDescription = `Look at, drive and end runs that exec started, also those of earlier sessions and those still running after a restart.

action, and what it takes (runId is the id or a unique beginning of it):
- list: state?, limit?. Runs, newest first.
- poll: runId, cursor?, waitMs? (up to 30000). Output since cursor, as soon as there is any, or the end of the run. Pass the cursor of the last answer. \
Use waitMs 30000 rather than asking again and again.
- log: runId, offset?, limit?, cursor?. Pages of everything it said; the last 200 lines when nothing else is asked.
- screen: runId. What a person would see on the terminal of a pty run, with the cursor; rows and columns from 0.
- write: runId, data?, eof?. To stdin, as it is: add "\\n" yourself. eof closes stdin.
- send-keys: runId, keys?, literal?, hex?. Keys by name: Enter Tab Esc Up Down Left Right Home End PgUp PgDn BSpace F1 C-c M-x S-Tab. literal is typed first.
- submit: runId. Enter.
- paste: runId, text. As pasted at once, so that editors do not indent or run it line by line.
- resize: runId, cols, rows.
- signal: runId, signal (SIGINT, SIGHUP, …). To the program only.
- kill: runId, graceMs?. Ends it with everything it started: SIGTERM, then SIGKILL. Takes back a request that waits for approval.
- clear: runId. Takes a finished run off the list; its output can no longer be read.
- remove: runId. The same, and ends it first if it runs.`;

/* Where a field's name does not say enough. */
export const execFieldTexts: Readonly<Record<string, string>> = {
  workdir: 'Where it runs; must exist. Relative paths count from the session directory.',
  cols: 'pty: width in columns. Default 120.',
  rows: 'pty: height in rows. Default 30.',
  security: 'Stricter than the policy for this call only; laxer is ignored.',
  ask: 'For this call only, never laxer than the policy. "always": a person decides. "off": deny it rather than ask.',
  leftovers:
    'What becomes of processes that outlive the command: keep (default; listed in the result), end, or fail (end them and report it).',
};

/* Fields of all actions in one object; each says which actions know it. */
export const processFieldTexts: Readonly<Record<string, string>> = {
  action: `What to do: ${processActions.join(', ')}.`,
  runId: 'All actions but list: the run id, or a unique beginning of it.',
  state: 'list: only running or only finished ones. Default: both.',
  limit: 'list: how many runs (default 50). log: how many lines (default 200).',
  cursor: 'poll, log: from an earlier answer; what came before it counts as read.',
  waitMs: 'poll: wait this long for news. Default 0, at most 30000.',
  offset: 'log: first line to show, from 0; negative counts from the end.',
  encoding: 'log, write: "text" (default), or "base64" for the bytes as they are.',
  data: 'write: what to write to stdin.',
  eof: 'write: close stdin, after data if there is any.',
  literal: 'send-keys: text to type, before hex and keys.',
  hex: 'send-keys: bytes as pairs of hex digits, such as "1b".',
  keys: 'send-keys: names of keys, such as "C-c", "Enter", "Up".',
  text: 'paste: the text.',
  cols: 'resize: width in columns.',
  rows: 'resize: height in rows.',
  signal: 'signal: its name, such as SIGINT.',
  graceMs: 'kill: from SIGTERM to SIGKILL.',
};
