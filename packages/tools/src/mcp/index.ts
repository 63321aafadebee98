/*
 * The door of the MCP server. One of its own: the protocol's library takes longer to load than most commands to run.
 */
export { requesterOf } from './client-name.ts';
export { createExitNotices } from './exit-notices.ts';
export type { ExitNotices } from './exit-notices.ts';
export type { LineStreams } from './line-transport.ts';
export { createMcpServer } from './mcp-server.ts';
export type { McpServerDeps } from './mcp-server.ts';
export { formatExitUpdate, pushExit } from './push-exit.ts';
export { parseRunUri } from './run-resource.ts';
export type { SessionTools } from './session-tools.ts';
export { serveMcpStdio } from './serve-stdio.ts';
export type { McpConnection, McpStdioDeps } from './serve-stdio.ts';
