import type { Knex } from 'knex'
import type { Network } from '../../chains/networks.ts'
import type { Context } from '../../kernel/work.ts'
import type { ImportOptions, ImportRow, PreparedRow, Stored, StoreOptions } from './import.types.ts'

/** Judges rows as the creation of a passport does, without writing. */
export async function prepareImport(_context: Context, _options: ImportOptions, _rows: readonly ImportRow[]): Promise<PreparedRow[]> {
  throw new Error('is being built')
}

/** Stores judged rows with their events in the caller's transaction. */
export async function storeImport(_trx: Knex.Transaction, _context: Context, _options: StoreOptions, _rows: readonly PreparedRow[]): Promise<Stored> {
  throw new Error('is being built')
}

/** Network of imported passports that name none: BaseMainnet where it has an RPC; null: the application's default. */
export function importedNetwork(context: Context): Network | null {
  return context.chains.usable('BaseMainnet') ? 'BaseMainnet' : null
}
