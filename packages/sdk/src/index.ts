/*
 * The door of sdk: a typed client of the gateway.
 */
export {};
