/*
 * The door of gateway: everything else over HTTP, WebSocket, SSE and MCP.
 */
export { usualAccountBounds } from './accounts/account-bounds.ts';
export type { AccountBounds } from './accounts/account-bounds.ts';
export { GatewayError, gatewayErrorCodes } from './errors.ts';
export type { GatewayErrorCode } from './errors.ts';
export type { GatewayConfig, GithubConfig, RunsConfig } from './gateway-config.ts';
export type { HostChecks, HostProbe, HostTest, HostTestCall } from './hosts/host-checks.ts';
export { openGateway } from './open-gateway.ts';
export type { Gateway } from './open-gateway.ts';
export type { GatewayDeps } from './gateway-parts.ts';
export { openLog } from './observe/open-log.ts';
export type { LogOptions, OpenedLog } from './observe/open-log.ts';
