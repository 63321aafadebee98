/*
 * `clf host ls | show | test | trust | policy | rm`: SSH hosts of the account. `host add` is a conversation of its own, in host-add.ts.
 */
import { makeVisible } from '@clawdfather/tools/text';
import type { CommandContext, Execute } from '../command.ts';
import { codeStatus, exitChecksFailed, type ExitStatus, exitOk } from '../exit-status.ts';
import { openQuestions } from '../hosts/ask-line.ts';
import { findHost, type Host, labelWord, readHosts, readKeys } from '../hosts/find-one.ts';
import { formatTarget } from '../hosts/host-target.ts';
import {
  formatOffered,
  formatTest,
  hostJson,
  type HostTest,
  isProven,
  offeredKey,
  resultText,
  testHost,
  testJson,
} from '../hosts/host-text.ts';
import { withHosts } from '../hosts/with-hosts.ts';
import { formatAge } from '../render/duration.ts';
import { jsonLine } from '../render/run-json.ts';
import { formatTable } from '../render/table.ts';
import type {
  hostListSpec,
  hostPolicySpec,
  hostRemoveSpec,
  hostShowSpec,
  hostTestSpec,
  hostTrustSpec,
} from './host-specs.ts';

export const list: Execute<typeof hostListSpec> = (context) =>
  withHosts(context, async ({ client }) => {
    const { io, paint, clock } = context;
    const hosts = await readHosts(client);
    if (context.isJson) {
      for (const host of hosts) await io.stdout.write(jsonLine(hostJson(host)));
      return codeStatus(exitOk);
    }
    if (hosts.length === 0) {
      await io.stdout.write('No hosts yet. Add one: clf host add NAME USER@HOST\n');
      return codeStatus(exitOk);
    }
    const nowMs = clock.wallMs();
    const rows = hosts.map((host) => [
      { text: makeVisible(host.label), paint: paint.strong },
      { text: resultText(host) },
      {
        text: host.last_test === null ? '' : formatAge(nowMs, Date.parse(host.last_test.at)),
      },
      { text: host.policy, ...(host.policy === 'full' ? { paint: paint.warn } : {}) },
      { text: formatTarget(host) },
    ]);
    const headers = ['NAME', 'TEST', 'WHEN', 'AGENTS', 'ADDRESS'];
    const layout = { headers, paintHeader: paint.dim, columnsMax: io.columns() };
    await io.stdout.write(formatTable(layout, rows));
    return codeStatus(exitOk);
  });

export const show: Execute<typeof hostShowSpec> = (context) =>
  withHosts(context, async ({ client }) => {
    const { io, paint } = context;
    const host = await findHost(client, context.operands.host);
    if (context.isJson) {
      await io.stdout.write(jsonLine(hostJson(host)));
      return codeStatus(exitOk);
    }
    const keys = await readKeys(client);
    const keyText = (id: string): string => {
      const key = keys.find((one) => one.id === id);
      return key === undefined ? `${id} (revoked)` : `${key.label} ${key.fingerprint}`;
    };
    const test = host.last_test;
    const facts: [string, string][] = [
      ['name', host.label],
      ['address', formatTarget(host)],
      ['key', keyText(host.keypair_id)],
      ...(host.next_keypair_id === null
        ? []
        : [['new key', `${keyText(host.next_keypair_id)} (not proven)`] as [string, string]]),
      ['host key', host.host_key_fingerprint ?? 'none trusted yet'],
      ['agents', policyTexts[host.policy]],
      ['last test', test === null ? 'none' : `${resultText(host)}, ${test.at}`],
      ['id', host.id],
    ];
    const width = Math.max(...facts.map(([name]) => name.length));
    for (const [name, value] of facts) {
      await io.stdout.write(`${paint.dim(name.padEnd(width))}  ${makeVisible(value)}\n`);
    }
    return codeStatus(exitOk);
  });

export const test: Execute<typeof hostTestSpec> = (context) =>
  withHosts(context, async ({ client }) => {
    const host = await findHost(client, context.operands.host);
    const found = await testHost(client, host, { isAccepted: context.flags.acceptHostKey });
    return tell(context, host, found);
  });

/* With a fingerprint it is a decision that was made elsewhere; without one a person decides here. */
export const trust: Execute<typeof hostTrustSpec> = (context) =>
  withHosts(context, async ({ client }) => {
    const { io } = context;
    const host = await findHost(client, context.operands.host);
    const { fingerprint } = context.operands;
    if (fingerprint !== undefined) {
      return tell(context, host, await testHost(client, host, { isAccepted: true, fingerprint }));
    }
    const found = await testHost(client, host, { isAccepted: false });
    const offered = offeredKey(found);
    if (offered === undefined || io.terminal === undefined || context.isJson) {
      return tell(context, host, found);
    }
    await io.stdout.write(formatTest(host, found));
    if (found.kind === 'changed') await io.stdout.write(formatOffered(host, offered));
    await using questions = openQuestions(io);
    if (!(await questions.confirm('Trust this key from now on?'))) {
      await io.stdout.write('Nothing was changed.\n');
      return codeStatus(exitChecksFailed);
    }
    const accepted = { isAccepted: true, fingerprint: offered };
    return tell(context, host, await testHost(client, host, accepted));
  });

const policyTexts = {
  ask: 'ask: what they run there is judged by the policy for agents',
  full: 'full: nothing that they run there is asked about',
} as const;

/* For people: the gateway refuses it to tokens. */
export const policy: Execute<typeof hostPolicySpec> = (context) =>
  withHosts(context, async ({ client }) => {
    const { io, isJson, operands } = context;
    const { id } = await findHost(client, operands.host);
    const body = { policy: operands.policy };
    const { connection: host } = await client.connections.setPolicy({ params: { id }, body });
    await io.stdout.write(
      isJson
        ? jsonLine(hostJson(host))
        : `${makeVisible(host.label)}, agents: ${policyTexts[host.policy]}.\n`,
    );
    return codeStatus(exitOk);
  });

export const remove: Execute<typeof hostRemoveSpec> = (context) =>
  withHosts(context, async ({ client }) => {
    const { io } = context;
    const { id, label } = await findHost(client, context.operands.host);
    await client.connections.remove({ params: { id } });
    await io.stdout.write(
      context.isJson
        ? jsonLine({ id, name: label, removed: true })
        : `${makeVisible(label)} is removed. The key is still in its authorized_keys.\n`,
    );
    return codeStatus(exitOk);
  });

async function tell(
  { io, isJson }: Pick<CommandContext, 'io' | 'isJson'>,
  host: Host,
  found: HostTest,
): Promise<ExitStatus> {
  const offered = offeredKey(found);
  const how =
    offered === undefined
      ? ''
      : `If it is the right one: clf host trust ${labelWord(host)} ${offered}\n`;
  await io.stdout.write(
    isJson ? jsonLine(testJson(host, found)) : `${formatTest(host, found)}${how}`,
  );
  return codeStatus(isProven(found) ? exitOk : exitChecksFailed);
}
