/*
 * Whose something is. Every package passes it on, and only the one that reads it from a row or a token makes one.
 */
import type { Brand } from './brand.ts';

export type AccountId = Brand<string, 'AccountId'>;
