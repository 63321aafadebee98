/*
 * The tools `exec` and `process` as an MCP server, in every revision of the protocol that the library serves: those that begin
 * with `initialize` (2024-10-07 to 2025-11-25) and the stateless one (2026-07-28). One server is one connection, or with HTTP one
 * request; all state is in the tools.
 *
 * A command that fails is a result. `isError` says that the tool could not do what was asked, and the text says what to do.
 */
import { type Clock, CodedError, type Log } from '@clawdfather/kit';
import {
  execLimits,
  type ExecParams,
  type ExecResult,
  type ProcessResult,
} from '@clawdfather/protocol';
import { type CallToolResult, McpServer, type ServerContext } from '@modelcontextprotocol/server';
import type { ToolCall } from '../context.ts';
import type { Tools } from '../tools.ts';
import { execDescription, processDescription, serverInstructions } from './descriptions.ts';
import { formatOutcome, isRefusal } from './exec-text.ts';
import { fitResult } from './fit-result.ts';
import { resultCharactersMax } from './limits.ts';
import { formatProcessResult } from './process-text.ts';
import { createProgress, type Progress } from './progress.ts';
import { cancellationOf, errorResult, requesterOfCall } from './tool-call.ts';
import { execInput, execOutput, processInput, processOutput } from './tool-schemas.ts';

export interface McpServerDeps {
  readonly tools: Pick<Tools, 'exec' | 'process'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
  /* On whose behalf, and which session's runs. */
  readonly account: string;
  readonly sessionId: string;
  /* Where commands run that name no directory. */
  readonly directory?: string | undefined;
  /* For what a call of `exec` leaves open. */
  readonly execDefaults?: Pick<
    ExecParams,
    'yieldMs' | 'timeoutSeconds' | 'noOutputTimeoutSeconds' | 'leftovers' | 'cols' | 'rows'
  >;
}

/* The list of tools is the same for everybody until we are installed anew. */
const listLifetimeMs = 3_600_000;

export function createMcpServer(deps: McpServerDeps): McpServer {
  const server = new McpServer(
    { name: 'clawdfather', title: 'Clawdfather', version: deps.version },
    {
      instructions: serverInstructions,
      capabilities: { tools: { listChanged: false } },
      cacheHints: {
        'tools/list': { ttlMs: listLifetimeMs, cacheScope: 'public' },
        'server/discover': { ttlMs: listLifetimeMs, cacheScope: 'public' },
      },
    },
  );
  server.registerTool(
    'exec',
    {
      title: 'Run a command',
      description: execDescription,
      inputSchema: execInput,
      outputSchema: execOutput,
      // A command can do anything; nobody should read less into it.
      annotations: {
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: false,
        openWorldHint: true,
      },
    },
    (asked, context) =>
      answer(deps, { server, context }, async (call) => {
        const params = { ...deps.execDefaults, ...asked };
        using progress = progressOf(deps, params, context);
        const result = fitResult(
          await deps.tools.exec(params, {
            ...call,
            ...(progress === undefined ? {} : { onOutput: progress.output }),
          }),
        );
        return { result, text: formatOutcome(result), isError: isRefusal(result) };
      }),
  );
  server.registerTool(
    'process',
    {
      title: 'Follow, drive and end runs',
      description: processDescription,
      inputSchema: processInput,
      outputSchema: processOutput,
      // One tool with many actions is as harmful as the worst of them: kill ends things, write reaches any program.
      annotations: {
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: false,
        openWorldHint: true,
      },
    },
    (params, context) =>
      answer(deps, { server, context }, async (call) => {
        const result = fitResult(await deps.tools.process(params, call));
        return { result, text: formatProcessResult(result), isError: false };
      }),
  );
  return server;
}

interface Connection {
  readonly server: McpServer;
  readonly context: ServerContext;
}

interface Answer {
  readonly result: ExecResult | ProcessResult;
  readonly text: string;
  readonly isError: boolean;
}

async function answer(
  deps: McpServerDeps,
  { server, context }: Connection,
  run: (call: ToolCall) => Promise<Answer>,
): Promise<CallToolResult> {
  using cancellation = cancellationOf(context.mcpReq.signal);
  const requester = requesterOfCall(context, server.server.getClientVersion()?.name);
  try {
    const { result, text, isError } = await run({
      signal: cancellation.signal,
      requester,
      account: deps.account,
      sessionId: deps.sessionId,
      directory: deps.directory,
      outputCharactersMax: resultCharactersMax,
    });
    return {
      content: [{ type: 'text', text }],
      structuredContent: { ...result },
      ...(isError ? { isError } : {}),
    };
  } catch (error) {
    // A call that makes no sense is the agent's to mend; anything else should not have happened.
    const isOurs = !(error instanceof CodedError) && !context.mcpReq.signal.aborted;
    deps.log[isOurs ? 'error' : 'debug']('mcp-call-failed', { requester, error });
    return errorResult(error);
  }
}

/* Only for a client that asked for it, by sending a token. */
function progressOf(
  { clock, log }: McpServerDeps,
  params: ExecParams,
  { mcpReq }: ServerContext,
): Progress | undefined {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined || params.background === true) return undefined;
  return createProgress({
    clock,
    totalMs: params.yieldMs ?? execLimits.yieldMs.usual,
    send: (report) => {
      const sent = mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken, ...report },
      });
      sent.catch((error: unknown) => log.debug('mcp-progress-unsent', { error }));
    },
  });
}
