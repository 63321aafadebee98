/*
 * What the build puts into the app.
 */

/* Of package.json: the gateway of the same build has the same. */
declare const __APP_VERSION__: string;

/* Only in the worker: which build it keeps, and the addresses of its files. */
declare const __BUILD_ID__: string;
declare const __BUILD_FILES__: readonly string[];
