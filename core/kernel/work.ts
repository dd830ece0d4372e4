import type { Knex } from 'knex'
import type { Caller } from './caller.ts'

/**
 * What a process is made of: settings, database, queue, chains, clock, log. Declared empty here so that the kernel
 * depends on nothing; `core/context.ts` adds the members once, by declaration merging.
 */
export interface Context {}

/** One unit of work: a transaction (or, for reads, the pool), the parts of the process, who asked, under which id. */
export interface Work {
  readonly trx: Knex
  readonly context: Context
  readonly caller: Caller
  readonly requestId: string
  /** Runs after the commit, never after a rollback: ringing doorbells, dropping cache entries. Must not throw. */
  afterCommit(action: () => void): void
}
