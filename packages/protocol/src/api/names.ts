/*
 * A side door of protocol: names and codes without a schema. A page that follows a session needs these few, and not zod, which is more than
 * all the rest of its first load.
 */
export { apiErrors, isApiErrorCode } from './api-errors.ts';
export { socketCloseCodes, socketPaths } from './socket-names.ts';
