/*
 * `clf key ls | create | show | install-command | rotate | revoke`: keys for SSH hosts, which the gateway makes and keeps.
 */
import type { Client } from '@clawdfather/sdk';
import { makeVisible } from '@clawdfather/tools/text';
import type { Execute } from '../command.ts';
import { codeStatus, exitOk } from '../exit-status.ts';
import { findKey, findKeyOrOnly, labelWord, readHosts, readKeys } from '../hosts/find-one.ts';
import { hostsOf, keyJson } from '../hosts/key-text.ts';
import { withHosts } from '../hosts/with-hosts.ts';
import { jsonLine } from '../render/run-json.ts';
import { formatTable } from '../render/table.ts';
import type {
  keyCreateSpec,
  keyInstallSpec,
  keyListSpec,
  keyRevokeSpec,
  keyRotateSpec,
  keyShowSpec,
} from './host-specs.ts';

export const list: Execute<typeof keyListSpec> = (context) =>
  withHosts(context, async ({ client }) => {
    const { io, paint } = context;
    const [keys, hosts] = [await readKeys(client), await readHosts(client)];
    if (context.isJson) {
      for (const key of keys) await io.stdout.write(jsonLine(keyJson(key, hosts)));
    } else if (keys.length === 0) {
      await io.stdout.write('No keys yet. clf host add makes one, or: clf key create LABEL\n');
    } else {
      const rows = keys.map((key) => [
        { text: key.id, paint: paint.strong },
        { text: makeVisible(key.label) },
        { text: key.status },
        { text: key.fingerprint },
        { text: hostsOf(key, hosts).map(makeVisible).join(', ') },
      ]);
      const headers = ['ID', 'LABEL', 'STATUS', 'FINGERPRINT', 'HOSTS'];
      const layout = { headers, paintHeader: paint.dim, columnsMax: io.columns() };
      await io.stdout.write(formatTable(layout, rows));
    }
    return codeStatus(exitOk);
  });

export const create: Execute<typeof keyCreateSpec> = (context) =>
  withHosts(context, async ({ client }) => {
    const { key } = await client.keys.create({ body: { label: context.operands.label } });
    await context.io.stdout.write(
      context.isJson
        ? jsonLine(keyJson(key, []))
        : `Key "${makeVisible(key.label)}" is made: ${key.fingerprint}\nFor a host: clf host add NAME USER@HOST --key ${key.id}\n`,
    );
    return codeStatus(exitOk);
  });

export const show: Execute<typeof keyShowSpec> = (context) =>
  withHosts(context, async ({ client }) => {
    const { io, paint } = context;
    const key = await findKeyOrOnly(client, context.operands.key);
    if (context.flags.public && !context.isJson) {
      await io.stdout.write(`${key.public_key}\n`);
      return codeStatus(exitOk);
    }
    const hosts = await readHosts(client);
    if (context.isJson) {
      await io.stdout.write(jsonLine(keyJson(key, hosts)));
      return codeStatus(exitOk);
    }
    const facts: readonly (readonly [string, string])[] = [
      ['label', key.label],
      ['status', key.status],
      ['fingerprint', key.fingerprint],
      ['public key', key.public_key],
      ['hosts', hostsOf(key, hosts).join(', ') || 'none'],
      ['made', key.created_at],
      ['id', key.id],
    ];
    const width = Math.max(...facts.map(([name]) => name.length));
    for (const [name, value] of facts) {
      await io.stdout.write(`${paint.dim(name.padEnd(width))}  ${makeVisible(value)}\n`);
    }
    return codeStatus(exitOk);
  });

export const installCommand: Execute<typeof keyInstallSpec> = (context) =>
  withHosts(context, async ({ client }) => {
    const { id } = await findKeyOrOnly(client, context.operands.key);
    const answer = await client.keys.installCommand({ params: { id } });
    const { command, public_key: publicKey, fingerprint } = answer;
    await context.io.stdout.write(
      // Alone on stdout, so that it can go straight into a shell on the host.
      context.isJson ? jsonLine({ id, command, publicKey, fingerprint }) : `${command}\n`,
    );
    return codeStatus(exitOk);
  });

export const rotate: Execute<typeof keyRotateSpec> = (context) =>
  withHosts(context, async ({ client }) => {
    const { io } = context;
    const old = await findKeyOrOnly(client, context.operands.key);
    const { key, connection_ids: ids } = await client.keys.rotate({ params: { id: old.id } });
    const names = await namesOf(client, ids);
    if (context.isJson) {
      const { id, label, fingerprint } = key;
      await io.stdout.write(jsonLine({ id, label, fingerprint, oldId: old.id, hosts: names }));
      return codeStatus(exitOk);
    }
    await io.stdout.write(
      `Key "${makeVisible(key.label)}" is now ${key.fingerprint}\n${names.length === 0 ? 'No host needs the old one, so it is revoked.\n' : formatLeft(key.id, names)}`,
    );
    return codeStatus(exitOk);
  });

export const revoke: Execute<typeof keyRevokeSpec> = (context) =>
  withHosts(context, async ({ client }) => {
    const { id, label } = await findKey(client, context.operands.key);
    const query = context.flags.force ? { force: 'true' as const } : {};
    await client.keys.remove({ params: { id }, query });
    await context.io.stdout.write(
      context.isJson
        ? jsonLine({ id, label, revoked: true })
        : `Key "${makeVisible(label)}" is revoked. Its line may go from authorized_keys on the hosts.\n`,
    );
    return codeStatus(exitOk);
  });

async function namesOf(client: Client, ids: readonly string[]): Promise<readonly string[]> {
  const hosts = await readHosts(client);
  return ids.map((id) => hosts.find((host) => host.id === id)?.label ?? id);
}

function formatLeft(keyId: string, names: readonly string[]): string {
  const tests = names.map((name) => `  clf host test ${labelWord({ label: name })}\n`).join('');
  return `These hosts keep the old one until the new one is proven there. On each, run what this prints, then test:\n  clf key install-command ${keyId}\n${tests}`;
}
