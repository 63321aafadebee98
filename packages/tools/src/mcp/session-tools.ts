/*
 * The tools about other agents' sessions, for the agent of a thread: `sessions_list`, `sessions_history`, `sessions_send`,
 * `sessions_status`, `sessions_spawn`. A client without such a session does not see them.
 *
 * Who calls is known to whoever answers (the key of the agent's run), so no argument says it. What changes something has a key: called again
 * with the same one it is done once.
 */
import { CodedError, type Log } from '@clawdfather/kit';
import { agentMessageCharactersMax } from '@clawdfather/protocol/api';
import type { CallToolResult, McpServer, ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { sessionToolTexts } from './session-tool-texts.ts';
import { cancellationOf, errorResult } from './tool-call.ts';

/* Answers are the API's, as JSON. Rejects with a coded error whose message and hint are for the agent. */
export interface SessionTools {
  list(params: ListSessions, signal: AbortSignal): Promise<object>;
  history(params: ReadHistory, signal: AbortSignal): Promise<object>;
  status(params: AskStatus, signal: AbortSignal): Promise<object>;
  send(params: SendMessage, signal: AbortSignal): Promise<object>;
  spawn(params: SpawnSession, signal: AbortSignal): Promise<object>;
}

const session = z.string().min(1).max(64).describe(sessionToolTexts.session);
const key = z
  .string()
  .regex(/^[\x21-\x7e]{1,200}$/)
  .optional()
  .describe(sessionToolTexts.key);
const limit = z.int().min(1).max(50);
const text = z.string().min(1).max(agentMessageCharactersMax);

const listInput = z.strictObject({
  limit: limit.optional(),
  offset: z.int().min(0).optional().describe(sessionToolTexts.offset),
});
const historyInput = z.strictObject({
  session,
  before: z.int().min(1).optional().describe(sessionToolTexts.before),
  limit: limit.optional(),
});
const statusInput = z.strictObject({
  session: session.optional(),
  receipt: z.string().min(1).max(64).optional().describe(sessionToolTexts.receipt),
});
const sendInput = z.strictObject({
  session,
  text: text.describe(sessionToolTexts.text),
  wake: z.boolean().optional().describe(sessionToolTexts.wakeAfterSend),
  key,
});
const spawnInput = z.strictObject({
  task: text.describe(sessionToolTexts.task),
  agent: z.string().min(1).max(64).optional().describe(sessionToolTexts.agent),
  directory: z.string().min(1).max(4_096).optional().describe(sessionToolTexts.directory),
  title: z.string().min(1).max(100).optional(),
  wake: z.boolean().optional().describe(sessionToolTexts.wakeAfterSpawn),
  key,
});

export type ListSessions = z.output<typeof listInput>;
export type ReadHistory = z.output<typeof historyInput>;
export type AskStatus = z.output<typeof statusInput>;
export type SendMessage = z.output<typeof sendInput>;
export type SpawnSession = z.output<typeof spawnInput>;

const reads = { readOnlyHint: true, destructiveHint: false, openWorldHint: false } as const;
/* What another agent is told to do may be anything. */
const acts = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
} as const;

export function registerSessionTools(server: McpServer, tools: SessionTools, log: Log): void {
  const { texts } = sessionToolTexts;
  server.registerTool(
    'sessions_list',
    { title: 'Sessions', description: texts.list, inputSchema: listInput, annotations: reads },
    (params, context) => answer(log, context, (signal) => tools.list(params, signal)),
  );
  server.registerTool(
    'sessions_history',
    {
      title: 'What was said in a session',
      description: texts.history,
      inputSchema: historyInput,
      annotations: reads,
    },
    (params, context) => answer(log, context, (signal) => tools.history(params, signal)),
  );
  server.registerTool(
    'sessions_status',
    {
      title: 'What a session is doing',
      description: texts.status,
      inputSchema: statusInput,
      annotations: reads,
    },
    (params, context) => answer(log, context, (signal) => tools.status(params, signal)),
  );
  server.registerTool(
    'sessions_send',
    {
      title: 'Say something to a session',
      description: texts.send,
      inputSchema: sendInput,
      annotations: acts,
    },
    (params, context) => answer(log, context, (signal) => tools.send(params, signal)),
  );
  server.registerTool(
    'sessions_spawn',
    {
      title: 'Begin a session with a task',
      description: texts.spawn,
      inputSchema: spawnInput,
      annotations: acts,
    },
    (params, context) => answer(log, context, (signal) => tools.spawn(params, signal)),
  );
}

async function answer(
  log: Log,
  { mcpReq }: ServerContext,
  ask: (signal: AbortSignal) => Promise<object>,
): Promise<CallToolResult> {
  using cancellation = cancellationOf(mcpReq.signal);
  try {
    const result = await ask(cancellation.signal);
    return {
      content: [{ type: 'text', text: JSON.stringify(result, undefined, 1) }],
      structuredContent: { ...result },
    };
  } catch (error) {
    const isOurs = !(error instanceof CodedError) && !mcpReq.signal.aborted;
    log[isOurs ? 'error' : 'debug']('mcp-call-failed', { requester: 'sessions', error });
    return errorResult(error);
  }
}
