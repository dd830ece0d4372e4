import type { Knex } from 'knex'
import type { ProblemError } from '../../../kernel/problem.ts'
import { createDuplicateNumbersProblem, createDuplicateReferenceProblem } from './passports.rules.ts'
import { getIdentity, identityMembers } from '../content/index.ts'

/** Finds the passport of the application that has this reference. */
export async function findReferenceHolder(
  db: Knex,
  application: string,
  reference: string | null,
): Promise<string | undefined> {
  const row = await db('passports').where({ application, reference }).first<{ id: string } | undefined>('id')
  return row?.id
}

/** Finds the passport of the application that has this granularity and these numbers. */
async function findIdentityHolder(
  db: Knex,
  application: string,
  product: Record<string, unknown>,
): Promise<string | undefined> {
  const query = db('passports').where({ application }).whereNotNull('product')
  getIdentity(product).forEach((value, at) => {
    const column = `(product ->> '${identityMembers[at]}')`
    void (value === null ? query.whereRaw(`${column} is null`) : query.whereRaw(`${column} = ?`, [value]))
  })
  const row = await query.first<{ id: string } | undefined>('id')
  return row?.id
}

interface UniqueValues {
  id?: string
  application: string
  reference: string | null
  product: Record<string, unknown> | null
}

/**
 * Finds the problem of a reference or numbers that another passport of the application already has; undefined if none
 * has them.
 */
export async function findDuplicateProblem(db: Knex, wanted: UniqueValues): Promise<ProblemError | undefined> {
  const { id, application, reference, product } = wanted
  const holder = reference === null ? undefined : await findReferenceHolder(db, application, reference)
  if (holder !== undefined && holder !== id) return createDuplicateReferenceProblem(holder)
  const twin = product === null ? undefined : await findIdentityHolder(db, application, product)
  return twin !== undefined && twin !== id ? createDuplicateNumbersProblem(twin) : undefined
}
