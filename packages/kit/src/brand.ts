/*
 * Branded types: strings and numbers of one kind that cannot be passed for
 * another. Only a parser makes one, after it has looked at the value; that
 * parser is the one place where `as` is right.
 *
 *   export type RunId = Brand<string, 'RunId'>;
 */
declare const brandOf: unique symbol;

export type Brand<Base, Name extends string> = Base & { readonly [brandOf]: Name };
