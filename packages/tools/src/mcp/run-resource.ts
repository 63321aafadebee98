/*
 * Runs as resources, for clients of 2026-07-28, which can listen to nothing else. Reading one gives the answer that `process poll`
 * would give at once.
 */
import { hasCode } from '@clawdfather/kit';
import type { ProcessParams, ProcessResult } from '@clawdfather/protocol';
import {
  type McpServer,
  ResourceNotFoundError,
  ResourceTemplate,
  type ServerContext,
} from '@modelcontextprotocol/server';

const uriPrefix = 'clawdfather://runs/';
const mimeType = 'application/json';

/* Runs that a client is offered without being asked which. */
const listedRunsMax = 50;

export type RunProcess = (params: ProcessParams, context: ServerContext) => Promise<ProcessResult>;

export function formatRunUri(runId: string): string {
  return `${uriPrefix}${runId}`;
}

/* Undefined for what is no run's. */
export function parseRunUri(uri: string): string | undefined {
  const runId = uri.startsWith(uriPrefix) ? uri.slice(uriPrefix.length) : '';
  return /^[0-9a-z][0-9a-z-]*$/.test(runId) ? runId : undefined;
}

export function registerRunResource(server: McpServer, run: RunProcess): void {
  const template = new ResourceTemplate(`${uriPrefix}{runId}`, {
    list: async (context) => {
      const result = await run({ action: 'list', limit: listedRunsMax }, context);
      if (result.action !== 'list') return { resources: [] };
      return {
        resources: result.runs.map(({ runId, state, command }) => ({
          uri: formatRunUri(runId),
          name: runId,
          title: command,
          description: state,
          mimeType,
        })),
      };
    },
  });
  server.registerResource(
    'run',
    template,
    {
      title: 'A run',
      description: 'State, end and latest output of a run. Updated once, when it ends.',
      mimeType,
    },
    async (uri, _variables, context) => {
      const runId = parseRunUri(uri.href);
      if (runId === undefined) throw new ResourceNotFoundError(uri.href);
      try {
        const result = await run({ action: 'poll', runId }, context);
        return { contents: [{ uri: uri.href, mimeType, text: JSON.stringify(result) }] };
      } catch (error) {
        if (hasCode(error, 'unknown-run')) throw new ResourceNotFoundError(uri.href);
        throw error;
      }
    },
  );
}
