/*
 * Opens the registry in the directory named by the first argument and prints who
 * that directory is.
 */
import { stdout } from 'node:process';
import { openHere } from './open-registry.ts';

const { registry } = await openHere();
stdout.write(`${registry.instanceId}\n`);
await registry.close();
