/*
 * A side door of gateway, for the command line: what agents of this machine ask, while no gateway is alive. It loads no server.
 */
export { openAsksHere } from './open-asks-here.ts';
export type { AnsweredHere, AskBody, AsksHereOptions, OpenedAsks } from './open-asks-here.ts';
