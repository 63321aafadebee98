/*
 * `clf host add NAME USER@HOST[:PORT]`: one conversation from nothing to a host that works.
 *
 * Stages: key (the account's, or a new one) → connection → the install command, and a wait until it was run → test → the host's key
 * is shown and decided about → test again. What is made stays made: who leaves in between goes on with `clf host test`.
 *
 * Without a terminal nothing can be asked. Then the host is added, what is left to do is printed, and the exit code is 1.
 */
import type { Client } from '@clawdfather/sdk';
import { localHost } from '@clawdfather/supervisor/origins';
import { makeVisible } from '@clawdfather/tools/text';
import type { CallOf, CommandContext } from '../command.ts';
import { usageError } from '../errors.ts';
import { codeStatus, exitChecksFailed, type ExitStatus, exitOk } from '../exit-status.ts';
import { openQuestions, type Questions } from '../hosts/ask-line.ts';
import { type Host, type Key, labelWord, pickKey, readKeys } from '../hosts/find-one.ts';
import { formatTarget } from '../hosts/host-target.ts';
import {
  formatTest,
  hostJson,
  type HostTest,
  isProven,
  offeredKey,
  testHost,
} from '../hosts/host-text.ts';
import { withHosts } from '../hosts/with-hosts.ts';
import { jsonLine } from '../render/run-json.ts';
import type { hostAddSpec } from './host-specs.ts';

type AddCall = CallOf<typeof hostAddSpec>;

/* Of a key that is made on the way. */
const usualLabel = 'main';
/* A gateway takes five tests a minute of a connection, and a person who has failed as often has to look elsewhere. */
const testsMax = 5;

export function execute(context: AddCall): Promise<ExitStatus> {
  return withHosts(context, async ({ client }) => {
    const { name: label, target } = context.operands;
    if (label === localHost) {
      throw usageError(`"${localHost}" is no name for a host: --host ${localHost} means none`);
    }
    const { key, isNew } = await chooseKey(client, context.flags.key);
    const { connection: host } = await client.connections
      .create({ body: { label, ...target, keypair_id: key.id } })
      .catch((error: unknown) => explainTaken(error, label));
    const { command } = await client.keys.installCommand({ params: { id: key.id } });
    const added = { host, key, isNew, command };
    const { terminal } = context.io;
    return terminal === undefined || context.isJson
      ? tellWhatIsLeft(context, added)
      : converse(context, client, added);
  });
}

interface Added {
  readonly host: Host;
  readonly key: Key;
  readonly isNew: boolean;
  /* What installs the key. */
  readonly command: string;
}

async function chooseKey(
  client: Client,
  typed: string | undefined,
): Promise<{ readonly key: Key; readonly isNew: boolean }> {
  const keys = (await readKeys(client)).filter(({ status }) => status === 'active');
  if (typed !== undefined) return { key: pickKey(keys, typed), isNew: false };
  const [only, ...others] = keys;
  if (only === undefined) {
    const { key } = await client.keys.create({ body: { label: usualLabel } });
    return { key, isNew: true };
  }
  if (others.length === 0) return { key: only, isNew: false };
  const labels = keys.map((key) => makeVisible(key.label)).join(', ');
  throw usageError(`there are several keys: ${labels}`, 'Say which: --key KEY');
}

async function explainTaken(error: unknown, label: string): Promise<never> {
  const { RefusedError } = await import('@clawdfather/sdk');
  if (!(error instanceof RefusedError) || error.refusal.code !== 'label_exists') throw error;
  const name = makeVisible(label);
  throw usageError(
    `there is a host called "${name}" already`,
    `Go on with it: clf host test ${labelWord({ label })}. Or remove it first: clf host rm ${labelWord({ label })}`,
  );
}

function formatIntroduction({ host, key, isNew, command }: Added): string {
  const made = isNew ? 'A key was made' : 'The key';
  return `${made}: "${makeVisible(key.label)}", ${key.fingerprint}\nOn ${host.host}, as ${host.username}, run this once, so that it is accepted:\n\n${command}\n\n`;
}

async function tellWhatIsLeft(
  { io, isJson }: Pick<CommandContext, 'io' | 'isJson'>,
  added: Added,
): Promise<ExitStatus> {
  const { host, key, command } = added;
  const name = makeVisible(host.label);
  await io.stdout.write(
    isJson
      ? jsonLine({ host: hostJson(host), keyId: key.id, installCommand: command, isProven: false })
      : `${name} is added.\n${formatIntroduction(added)}Then see which key the host shows, and trust it if it is the right one:\n\nclf host test ${labelWord(host)}\nclf host trust ${labelWord(host)} FINGERPRINT\n`,
  );
  return codeStatus(exitChecksFailed);
}

async function converse(
  context: CommandContext,
  client: Client,
  added: Added,
): Promise<ExitStatus> {
  const { io, paint } = context;
  const { host } = added;
  const name = makeVisible(host.label);
  await io.stdout.write(formatIntroduction(added));
  await using questions = openQuestions(io);
  let wish: { readonly isAccepted: boolean; readonly fingerprint?: string } = { isAccepted: false };
  let question = 'Press Enter when that is done. ';
  for (let left = testsMax; left > 0; left -= 1) {
    if (!wish.isAccepted && (await questions.ask(question)) === undefined) break;
    question = 'Press Enter to test again, or Ctrl-D to leave it for later. ';
    await io.stdout.write(paint.dim(`Testing ${formatTarget(host)} …\n`));
    const found = await testHost(client, host, wish);
    await io.stdout.write(formatTest(host, found));
    if (isProven(found)) {
      await io.stdout.write(
        `${paint.good('Done.')} Try it: clf run --host ${labelWord(host)} -- uname -a\n`,
      );
      return codeStatus(exitOk);
    }
    const next = await decide(questions, found);
    if (next === undefined) break;
    wish = next;
  }
  await io.stdout.write(
    `${name} is added and not proven yet. Go on when you like: clf host test ${labelWord(host)}. If its address is wrong: clf host rm ${labelWord(host)}\n`,
  );
  return codeStatus(exitChecksFailed);
}

/* What the next test is to accept; undefined when the person does not want to go on. */
async function decide(
  questions: Questions,
  found: HostTest,
): Promise<{ readonly isAccepted: boolean; readonly fingerprint?: string } | undefined> {
  const offered = offeredKey(found);
  if (offered === undefined) return { isAccepted: false };
  const isTrusted = await questions.confirm('Is that the key of this host? Trust it from now on?');
  return isTrusted ? { isAccepted: true, fingerprint: offered } : undefined;
}
