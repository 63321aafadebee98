/*
 * The tools `exec` and `process`, and for the agent of a thread those about sessions (session-tools.ts), as an MCP server, in every revision of the protocol that the library serves: those that begin
 * with `initialize` (2024-10-07 to 2025-11-25) and the stateless one (2026-07-28). One server is one connection, or with HTTP one
 * request; all state is in the tools.
 *
 * A command that fails is a result. `isError` says that the tool could not do what was asked, and the text says what to do.
 *
 * A connection that stays is also told of ends that it did not ask about (exit-notices.ts), and announces the capability by which
 * its revision is told. With one server per request there is no connection to tell, and nothing is announced.
 */
import { type Clock, CodedError, type Log } from '@clawdfather/kit';
import {
  execLimits,
  type ExecParams,
  type ExecResult,
  type ProcessParams,
  type ProcessResult,
} from '@clawdfather/protocol';
import {
  type CallToolResult,
  McpServer,
  type ServerCapabilities,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { ToolCall } from '../context.ts';
import type { Tools } from '../tools.ts';
import { type Asking, openCall } from './asked-call.ts';
import { execDescription, processDescription, serverInstructions } from './descriptions.ts';
import { formatOutcome, isRefusal } from './exec-text.ts';
import type { ExitNotices } from './exit-notices.ts';
import { fitResult } from './fit-result.ts';
import type { ExitNotice } from './next-notice.ts';
import { formatNotices } from './notice-text.ts';
import { formatProcessResult } from './process-text.ts';
import { createProgress, type Progress } from './progress.ts';
import type { Era } from './push-exit.ts';
import { registerRunResource } from './run-resource.ts';
import { registerSessionTools, type SessionTools } from './session-tools.ts';
import { errorResult } from './tool-call.ts';
import { execInput, execOutput, processInput, processOutput } from './tool-schemas.ts';

export interface McpServerDeps {
  /* Given parameters that the tools' schemas have parsed; they need not parse them again. */
  readonly tools: Pick<Tools, 'exec' | 'process'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
  /* On whose behalf, and which session's runs. */
  readonly account: string;
  readonly sessionId: string;
  /* Tools about other agents' sessions; absent: the client is no session of ours. */
  readonly sessions?: SessionTools | undefined;
  /* Where commands run that name no directory. */
  readonly directory?: string | undefined;
  /* For what a call of `exec` leaves open. */
  readonly execDefaults?: Pick<
    ExecParams,
    'yieldMs' | 'timeoutSeconds' | 'noOutputTimeoutSeconds' | 'leftovers' | 'cols' | 'rows'
  >;
}

/* A connection that stays, and how it is told of ends. */
export interface Lasting {
  readonly era: Era;
  readonly notices: ExitNotices;
}

/* The list of tools is the same for all clients until another version is installed. */
const listLifetimeMs = 3_600_000;

export function createMcpServer(deps: McpServerDeps, lasting?: Lasting): McpServer {
  const notices = lasting?.notices;
  const server = new McpServer(
    { name: 'clawdfather', title: 'Clawdfather', version: deps.version },
    {
      instructions: serverInstructions,
      capabilities: capabilitiesOf(lasting),
      cacheHints: {
        'tools/list': { ttlMs: listLifetimeMs, cacheScope: 'public' },
        'server/discover': { ttlMs: listLifetimeMs, cacheScope: 'public' },
      },
    },
  );
  registerExec(server, deps, notices);
  registerProcess(server, deps, notices);
  if (deps.sessions !== undefined) registerSessionTools(server, deps.sessions, deps.log);
  if (lasting?.era === 'modern') {
    registerRunResource(server, async (params, context) => {
      using asked = openCall(deps, { server, context, notices, about: runOf(params) });
      const result = fitResult(await deps.tools.process(params, asked.call));
      /* Ends of other runs have no place in it; they wait for a result of a tool. */
      asked.tell(result);
      return result;
    });
  }
  return server;
}

function registerExec(server: McpServer, deps: McpServerDeps, notices?: ExitNotices): void {
  server.registerTool(
    'exec',
    {
      title: 'Run a command',
      description: execDescription,
      inputSchema: execInput,
      outputSchema: execOutput,
      // A command can do anything, and the hints say so.
      annotations: {
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: false,
        openWorldHint: true,
      },
    },
    (asked, context) =>
      answer(deps, { server, context, notices }, async (call) => {
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
}

function registerProcess(server: McpServer, deps: McpServerDeps, notices?: ExitNotices): void {
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
      answer(deps, { server, context, notices, about: runOf(params) }, async (call) => {
        const result = fitResult(await deps.tools.process(params, call));
        return { result, text: formatProcessResult(result), isError: false };
      }),
  );
}

function runOf(params: ProcessParams): string | undefined {
  return 'runId' in params ? params.runId : undefined;
}

/* What each revision needs to be told of ends: up to 2025-11-25 log messages, then resources that can be listened to. */
function capabilitiesOf(lasting: Lasting | undefined): ServerCapabilities {
  const tools = { listChanged: false };
  if (lasting === undefined) return { tools };
  return lasting.era === 'legacy'
    ? { tools, logging: {} }
    : { tools, resources: { subscribe: true, listChanged: false } };
}

interface Answer {
  readonly result: ExecResult | ProcessResult;
  readonly text: string;
  readonly isError: boolean;
}

async function answer(
  deps: McpServerDeps,
  asking: Asking,
  run: (call: ToolCall) => Promise<Answer>,
): Promise<CallToolResult> {
  using asked = openCall(deps, asking);
  try {
    const { result, text, isError } = await run(asked.call);
    asked.tell(result);
    const ended = asked.carry();
    return {
      content: [{ type: 'text', text }, ...noticeBlocks(ended)],
      structuredContent: { ...result, ...(ended.length === 0 ? {} : { ended }) },
      ...(isError ? { isError } : {}),
    };
  } catch (error) {
    // The agent can correct a wrong call; any other error is a mistake of ours.
    const isOurs = !(error instanceof CodedError) && !asking.context.mcpReq.signal.aborted;
    const { requester } = asked.call;
    deps.log[isOurs ? 'error' : 'debug']('mcp-call-failed', { requester, error });
    const result = errorResult(error);
    return { ...result, content: [...result.content, ...noticeBlocks(asked.carry())] };
  }
}

function noticeBlocks(ended: readonly ExitNotice[]): CallToolResult['content'] {
  return ended.length === 0 ? [] : [{ type: 'text', text: formatNotices(ended) }];
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
