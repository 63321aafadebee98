/*
 * `clf agents choices`: what an agent lets people choose, as its last session said.
 */
import type { Client } from '@clawdfather/sdk';
import { makeVisible } from '@clawdfather/tools/text';
import type { Execute } from '../command.ts';
import { codeStatus, exitOk } from '../exit-status.ts';
import { findHost } from '../hosts/find-one.ts';
import { jsonLine } from '../render/run-json.ts';
import { formatTable } from '../render/table.ts';
import { withThreads } from '../threads/with-threads.ts';
import type { agentsChoicesSpec } from './agent-specs.ts';

type Choice = Awaited<ReturnType<Client['agents']['choices']>>['items'][number];

export const execute: Execute<typeof agentsChoicesSpec> = (context) =>
  withThreads(context, async ({ client }) => {
    const { io, paint, flags, operands } = context;
    const params = { name: operands.agent };
    const host = flags.host === undefined ? undefined : await findHost(client, flags.host);
    const query = host === undefined ? {} : { connection_id: host.id };
    const { items } = await client.agents.choices({ params, query });
    if (context.isJson) {
      for (const { more_values: moreValues, ...choice } of items) {
        await io.stdout.write(jsonLine({ ...choice, moreValues }));
      }
    } else if (items.length === 0) {
      const where = host === undefined ? 'here' : `on ${makeVisible(host.label)}`;
      await io.stdout.write(
        `Nothing is known yet. It is told by the first turn of ${makeVisible(operands.agent)} ${where}.\n`,
      );
    } else {
      const rows = items.flatMap((choice) => rowsOf(choice, paint.strong));
      const layout = {
        headers: ['CHOICE', 'VALUE', 'NAME', 'DESCRIPTION'],
        paintHeader: paint.dim,
        columnsMax: io.columns(),
        dispensable: ['DESCRIPTION'],
      };
      await io.stdout.write(formatTable(layout, rows));
      await io.stdout.write(moreText(items));
    }
    return codeStatus(exitOk);
  });

function rowsOf({ id, category, values }: Choice, strong: (text: string) => string) {
  return values.map(({ value, name, description }) => [
    { text: makeVisible(category ?? id) },
    { text: makeVisible(value), paint: strong },
    { text: makeVisible(name) },
    { text: makeVisible(description ?? '') },
  ]);
}

function moreText(items: readonly Choice[]): string {
  return items
    .filter(({ more_values: more }) => more > 0)
    .map(({ name, more_values: more }) => `${makeVisible(name)}: ${more} more are not listed\n`)
    .join('');
}
