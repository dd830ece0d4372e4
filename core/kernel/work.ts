import type { Knex } from 'knex'
import type { Caller } from './caller.ts'

/**
 * The parts of a process: settings, database, queue, chains, clock, log. Declared empty here so that the kernel depends
 * on nothing; `core/app/context.ts` adds the members by declaration merging.
 */
export interface Context {}

/**
 * One unit of work: a transaction (or the pool, for reads), the parts of the process, the caller and the request's id.
 */
export interface Work {
  readonly trx: Knex
  readonly context: Context
  readonly caller: Caller
  readonly requestId: string
  /** Network address that the request came from. */
  readonly address: string
  /**
   * Runs `action` after the commit, never after a rollback: to send notices or drop cache entries. `action` must not
   * throw.
   */
  afterCommit(action: () => void): void
}
