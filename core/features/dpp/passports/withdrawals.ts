import type { Knex } from 'knex'
import type { StatusPurpose } from '../../certification/index.ts'

/** The passport whose credentials are withdrawn: the passport itself, its batch or its model. */
export type WithdrawalLevel = 'own' | 'batch' | 'model'

/** A revocation or suspension by the maker of a passport, its batch or its model. */
export interface Withdrawal {
  level: WithdrawalLevel
  purpose: StatusPurpose
  /** The passport whose status was set. */
  passport: string
}

interface WithdrawalRow extends Withdrawal {
  of: string
}

/**
 * Reads the withdrawals of each of these passports: of its own credentials, of its batch's and of its model's. A
 * revocation comes before a suspension, and the passport's own withdrawal before those of its batch and model.
 * Passports without a withdrawal are left out.
 */
export async function readWithdrawals(db: Knex, passports: readonly string[]): Promise<Map<string, Withdrawal[]>> {
  const found = new Map<string, Withdrawal[]>()
  if (passports.length === 0) return found
  const { rows } = await db.raw<{ rows: WithdrawalRow[] }>(
    `select p.id as of, holder.level, holder.id as passport, last.purpose
     from passports p cross join lateral passport_parents(p.application, p.product) parents
       cross join lateral (values ('own', p.id), ('batch', (parents.batch ->> 'id')::uuid),
         ('model', (parents.model ->> 'id')::uuid)) as holder (level, id)
       cross join lateral (
         select distinct on (purpose) purpose, value from status_changes where passport = holder.id
         order by purpose, created_at desc, id desc
       ) as last
     where p.id = any(?::uuid[]) and last.value
     order by p.id, last.purpose, array_position(array['own', 'batch', 'model'], holder.level)`,
    [passports as string[]],
  )
  for (const { of, ...withdrawal } of rows) found.set(of, [...(found.get(of) ?? []), withdrawal])
  return found
}

/** Lists those of these passports whose own credentials are revoked or suspended. Those of their parents do not count. */
export async function listWithdrawnPassports(db: Knex, passports: readonly string[]): Promise<Set<string>> {
  const { rows } = await db.raw<{ rows: { passport: string }[] }>(
    `select passport from (
       select distinct on (passport, purpose) passport, value from status_changes where passport = any(?::uuid[])
       order by passport, purpose, created_at desc, id desc
     ) as last where value`,
    [passports as string[]],
  )
  return new Set(rows.map(({ passport }) => passport))
}

/** Finds the most severe withdrawal of a passport; null if there is none. */
export async function findWithdrawal(db: Knex, passport: string): Promise<Withdrawal | null> {
  return (await readWithdrawals(db, [passport])).get(passport)?.[0] ?? null
}

/** Describes a withdrawal in words, for example `its batch is revoked`. */
export function describeWithdrawal({ level, purpose }: Withdrawal): string {
  const subject = { own: 'it', batch: 'its batch', model: 'its model' }[level]
  return `${subject} is ${purpose === 'revocation' ? 'revoked' : 'suspended'}`
}
