import type { Knex } from 'knex'
import type { StatusPurpose } from '../../certification/index.ts'

/** The passport's own credentials, or those of the batch or the model that it is of. */
export type WithdrawalLevel = 'own' | 'batch' | 'model'

/** That the maker has revoked or suspended a passport, or what it is of. */
export interface Withdrawal {
  level: WithdrawalLevel
  purpose: StatusPurpose
  /** The passport whose status was set. */
  passport: string
}

interface Row extends Withdrawal { of: string }

/**
 * Finds what the maker has withdrawn of each of these passports: its own credentials, those of its batch and those of
 * its model; a revocation before a suspension, and the passport's own before what it is of. Passports of which nothing
 * is withdrawn are left out.
 */
export async function withdrawalsOf(db: Knex, passports: readonly string[]): Promise<Map<string, Withdrawal[]>> {
  const found = new Map<string, Withdrawal[]>()
  if (passports.length === 0) return found
  const { rows } = await db.raw<{ rows: Row[] }>(
    `select p.id as of, holder.level, holder.id as passport, last.purpose
     from passports p cross join lateral passport_parents(p.application, p.product) parents
       cross join lateral (values ('own', p.id), ('batch', (parents.batch ->> 'id')::uuid),
         ('model', (parents.model ->> 'id')::uuid)) as holder (level, id)
       cross join lateral (
         select distinct on (purpose) purpose, value from status_changes where passport = holder.id
         order by purpose, created_at desc, id desc
       ) as last
     where p.id = any(?::uuid[]) and last.value
     order by p.id, last.purpose, array_position(array['own', 'batch', 'model'], holder.level)`, [passports as string[]])
  for (const { of, ...withdrawal } of rows) found.set(of, [...found.get(of) ?? [], withdrawal])
  return found
}

/** Finds what weighs most of what is withdrawn of a passport; null where nothing is. */
export async function withdrawalOf(db: Knex, passport: string): Promise<Withdrawal | null> {
  return (await withdrawalsOf(db, [passport])).get(passport)?.[0] ?? null
}

/** Says in words what is withdrawn, as `its batch is revoked`. */
export function describeWithdrawal({ level, purpose }: Withdrawal): string {
  const subject = { own: 'it', batch: 'its batch', model: 'its model' }[level]
  return `${subject} is ${purpose === 'revocation' ? 'revoked' : 'suspended'}`
}
