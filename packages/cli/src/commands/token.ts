/*
 * `clf token create | ls | revoke`: tokens for programs.
 */
import type { Client } from '@clawdfather/sdk';
import type { Execute } from '../command.ts';
import { CliError } from '../errors.ts';
import { codeStatus, exitOk } from '../exit-status.ts';
import { allPages } from '../place/gateway/all-pages.ts';
import { withGateway } from '../sign-in/open-client.ts';
import { formatAge } from '../render/duration.ts';
import { jsonLine } from '../render/run-json.ts';
import { formatTable } from '../render/table.ts';
import { makeVisible } from '@clawdfather/tools/text';
import type { tokenCreateSpec, tokenListSpec, tokenRevokeSpec } from './sign-in-specs.ts';

export const create: Execute<typeof tokenCreateSpec> = (context) =>
  withGateway(context, async ({ client }) => {
    const { io } = context;
    const scopes = context.flags.scope ?? (['read'] as const);
    const { token, ...made } = await client.tokens.create({
      body: { label: context.operands.label, scopes: [...scopes] },
    });
    if (context.isJson) await io.stdout.write(jsonLine({ ...tokenJson(made), token }));
    else {
      // Alone on stdout, so that it can go straight into a file.
      await io.stderr.write(
        `clf: token "${makeVisible(made.label)}" for ${made.scopes.join(', ')}; it is shown this once\n`,
      );
      await io.stdout.write(`${token}\n`);
    }
    return codeStatus(exitOk);
  });

export const list: Execute<typeof tokenListSpec> = (context) =>
  withGateway(context, async ({ client }) => {
    const { io, paint, clock } = context;
    const tokens = await readTokens(client);
    if (context.isJson) {
      for (const token of tokens) await io.stdout.write(jsonLine(tokenJson(token)));
    } else if (tokens.length === 0) {
      await io.stdout.write('No tokens. Make one: clf token create --scope read LABEL\n');
    } else {
      const nowMs = clock.wallMs();
      const rows = tokens.map((token) => [
        { text: token.id, paint: paint.strong },
        { text: makeVisible(token.label) },
        { text: token.scopes.join(',') },
        {
          text:
            token.last_used_at === null
              ? 'never'
              : formatAge(nowMs, Date.parse(token.last_used_at)),
        },
        { text: token.expires_at.slice(0, 10) },
      ]);
      const headers = ['ID', 'LABEL', 'SCOPES', 'USED', 'EXPIRES'];
      const layout = { headers, paintHeader: paint.dim, columnsMax: io.columns() };
      await io.stdout.write(formatTable(layout, rows));
    }
    return codeStatus(exitOk);
  });

export const revoke: Execute<typeof tokenRevokeSpec> = (context) =>
  withGateway(context, async ({ client }) => {
    const { io } = context;
    const { token: typed } = context.operands;
    const tokens = await readTokens(client);
    const found = tokens.filter(({ id, label }) => label === typed || id.startsWith(typed));
    const one =
      found.find(({ label }) => label === typed) ?? (found.length === 1 ? found[0] : undefined);
    if (one === undefined) {
      const message = found.length === 0 ? 'no token is' : 'several tokens are';
      throw new CliError('token-not-found', `${message} called "${makeVisible(typed)}"`, {
        hint: 'All of them: clf token ls',
        detail: { typed },
      });
    }
    await client.tokens.revoke({ params: { id: one.id } });
    await io.stdout.write(
      context.isJson
        ? jsonLine({ id: one.id, label: one.label, revoked: true })
        : `Token "${makeVisible(one.label)}" is revoked.\n`,
    );
    return codeStatus(exitOk);
  });

type Token = Awaited<ReturnType<Client['tokens']['list']>>['items'][number];

function readTokens(client: Client): Promise<Token[]> {
  return allPages((query) => client.tokens.list({ query }));
}

function tokenJson(token: Token) {
  return {
    id: token.id,
    label: token.label,
    scopes: token.scopes,
    createdAt: token.created_at,
    lastUsedAt: token.last_used_at,
    expiresAt: token.expires_at,
  };
}
