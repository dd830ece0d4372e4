import type { Knex } from 'knex'
import type { Problem } from '../../kernel/problem.ts'
import { duplicateNumbers, duplicateReference } from './passports.rules.ts'
import { identityNames, identityOf } from './product.rules.ts'

/** The passport of the application that has this reference. */
export async function holderOf(db: Knex, application: string, reference: string | null): Promise<string | undefined> {
  const row = await db('passports').where({ application, reference }).first<{ id: string } | undefined>('id')
  return row?.id
}

/** The passport of the application that has this granularity and these numbers. */
async function twinOf(db: Knex, application: string, product: Record<string, unknown>): Promise<string | undefined> {
  const query = db('passports').where({ application }).whereNotNull('product')
  identityOf(product).forEach((value, at) => {
    const column = `(product ->> '${identityNames[at]}')`
    void (value === null ? query.whereRaw(`${column} is null`) : query.whereRaw(`${column} = ?`, [value]))
  })
  const row = await query.first<{ id: string } | undefined>('id')
  return row?.id
}

interface Unique { id?: string; application: string; reference: string | null; product: Record<string, unknown> | null }

/** The refusal of what another passport has that only one can have, or undefined where none has it. */
export async function refusalOf(db: Knex, wanted: Unique): Promise<Problem | undefined> {
  const { id, application, reference, product } = wanted
  const holder = reference === null ? undefined : await holderOf(db, application, reference)
  if (holder !== undefined && holder !== id) return duplicateReference(holder)
  const twin = product === null ? undefined : await twinOf(db, application, product)
  return twin !== undefined && twin !== id ? duplicateNumbers(twin) : undefined
}
