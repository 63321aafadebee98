/*
 * The label by which a run says which trace it belongs to: it outlives the request that started it, and the gateway too.
 */
export const traceLabel = 'trace';
