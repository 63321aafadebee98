/*
 * The id of an account. Every package passes it on; only the code that reads it from a row or a token makes one.
 */
import type { Brand } from './brand.ts';

export type AccountId = Brand<string, 'AccountId'>;
