/*
 * `clf devices ls | revoke`: who is signed in.
 */
import type { Client } from '@clawdfather/sdk';
import type { Execute } from '../command.ts';
import { CliError, usageError } from '../errors.ts';
import { codeStatus, exitOk } from '../exit-status.ts';
import { allPages } from '../place/gateway/all-pages.ts';
import { withGateway } from '../sign-in/open-client.ts';
import { formatAge } from '../render/duration.ts';
import { jsonLine } from '../render/run-json.ts';
import { formatTable } from '../render/table.ts';
import { makeVisible } from '@clawdfather/tools/text';
import type { devicesListSpec, devicesRevokeSpec } from './sign-in-specs.ts';

type Device = Awaited<ReturnType<Client['auth']['devices']>>['items'][number];

export const list: Execute<typeof devicesListSpec> = (context) =>
  withGateway(context, async ({ client }) => {
    const { io, paint, clock } = context;
    const devices = await readDevices(client);
    if (context.isJson) {
      for (const device of devices) await io.stdout.write(jsonLine(deviceJson(device)));
      return codeStatus(exitOk);
    }
    const nowMs = clock.wallMs();
    const rows = devices.map((device) => [
      { text: device.id, paint: paint.strong },
      { text: formatAge(nowMs, Date.parse(device.last_used_at)) },
      { text: device.created_at.slice(0, 10) },
      { text: device.expires_at.slice(0, 10) },
      { text: `${makeVisible(device.device)}${device.is_current ? ' (this one)' : ''}` },
    ]);
    const headers = ['ID', 'USED', 'SINCE', 'EXPIRES', 'DEVICE'];
    const layout = { headers, paintHeader: paint.dim, columnsMax: io.columns() };
    await io.stdout.write(formatTable(layout, rows));
    return codeStatus(exitOk);
  });

export const revoke: Execute<typeof devicesRevokeSpec> = (context) =>
  withGateway(context, async ({ client }) => {
    const { io } = context;
    const { device: typed } = context.operands;
    if ((typed === undefined) !== context.flags.others) {
      throw usageError('name a device, or say --others', 'All of them: clf devices');
    }
    if (typed === undefined) {
      const { revoked } = await client.auth.revokeOtherDevices();
      const text = `${revoked} device${revoked === 1 ? ' is' : 's are'} signed out.\n`;
      await io.stdout.write(context.isJson ? jsonLine({ revoked }) : text);
      return codeStatus(exitOk);
    }
    const found = (await readDevices(client)).filter(({ id }) => id.startsWith(typed));
    const [one, ...others] = found;
    if (one === undefined || others.length > 0) {
      const message = one === undefined ? 'no device has' : 'several devices have';
      throw new CliError('device-not-found', `${message} the id "${makeVisible(typed)}"`, {
        hint: 'All of them: clf devices',
        detail: { typed },
      });
    }
    await client.auth.revokeDevice({ params: { id: one.id } });
    await io.stdout.write(
      context.isJson ? jsonLine({ revoked: 1 }) : `"${makeVisible(one.device)}" is signed out.\n`,
    );
    return codeStatus(exitOk);
  });

function readDevices(client: Client): Promise<Device[]> {
  return allPages((query) => client.auth.devices({ query }));
}

function deviceJson(device: Device) {
  return {
    id: device.id,
    device: device.device,
    isCurrent: device.is_current,
    createdAt: device.created_at,
    lastUsedAt: device.last_used_at,
    expiresAt: device.expires_at,
  };
}
