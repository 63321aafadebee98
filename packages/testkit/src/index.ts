/*
 * The door of testkit: fakes and rigs for tests only.
 */
export { createEnding } from './ending.ts';
export type { Ending } from './ending.ts';
export { fetchExternal } from './external-program.ts';
export type { ExternalProgram } from './external-program.ts';
export { createFakeClock } from './fake-clock.ts';
export type { FakeClock } from './fake-clock.ts';
export { freezeProcess } from './freeze-process.ts';
export { inOwnMounts, openLoopDisk } from './loop-disk.ts';
export type { LoopDisk } from './loop-disk.ts';
export { createMcpCalls, hearMessages, hearUpdates, initializeMessage } from './mcp-agent.ts';
export type { McpCalls, ToolAnswer } from './mcp-agent.ts';
export { examineMcpServer, excusedChecks, protocolScenarios } from './mcp-conformance.ts';
export { inspectMcpServer } from './mcp-inspector.ts';
export { openPostgresProxy, proxyFaults } from './postgres-proxy.ts';
export type { PostgresProxy, ProxyFault } from './postgres-proxy.ts';
export type { PostgresAddress, PostgresServer } from './postgres-server.ts';
export { openSmallExt4 } from './small-ext4.ts';
export type { SmallExt4 } from './small-ext4.ts';
export { openSmallDisk, smallDiskSkip } from './small-disk.ts';
export type { SmallDisk } from './small-disk.ts';
export { largestRequest2, writeRegistry2 } from './registry-2.ts';
export type { OldApproval } from './registry-2.ts';
export { createSeededRandom } from './seeded-random.ts';
export { usePostgres } from './use-postgres.ts';
export { cannotMakeUsers, makeUnixUser, type UnixUser } from './unix-user.ts';
