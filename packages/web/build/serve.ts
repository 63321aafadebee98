/*
 * `npm run dev:web`: the app from its sources, reloaded when one changes, in front of the gateway that runs on this machine.
 */
import { createServer } from 'vite';
import { appConfig } from './app-config.ts';

const server = await createServer(await appConfig());
await server.listen();
server.printUrls();
