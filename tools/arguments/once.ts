import type { Schema } from '../openapi.ts'
import type { ExposedOperation } from '../catalogue/operations.ts'

/**
 * The argument by which a caller repeats a call on purpose. It is never sent to the API. A tool whose operation has a
 * member of this name does not take it.
 */
export const againArgument = 'again'

/** The schema of the argument. The server's instructions describe it once for all tools, because lists cost tokens. */
export const againSchema: Schema = { type: 'boolean' }

/** Returns whether each call of an operation makes something new, so that a lost answer must not lead to a second one. */
export const makesNew = ({ method, hints }: Pick<ExposedOperation, 'method' | 'hints'>): boolean =>
  method !== 'GET' && !hints.readOnlyHint && !hints.idempotentHint
