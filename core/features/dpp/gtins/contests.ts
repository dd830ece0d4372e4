import { lockByName } from '../../../database/lock.ts'
import { newId } from '../../../database/model.ts'
import type { OrganizationCaller } from '../../../kernel/caller.ts'
import { invalid, notFound } from '../../../kernel/problem.ts'
import type { Work } from '../../../kernel/work.ts'
import { findGtinOwner } from './owners.ts'
import { parseGtin } from './parse.ts'

/** Open notes that one organization has with the operator. */
const maxOpenContests = 1_000

/**
 * Leaves a note for the operator that a GTIN is this organization's, whoever published it first. Who contests again
 * changes the reason of the note that is open. @throws NOT_FOUND for a GTIN that nobody has published,
 * VALIDATION_FAILED for no GTIN, for one's own, and past 1,000 open notes
 */
export async function contestGtin(
  { trx }: Work, { organization }: OrganizationCaller, digits: string, reason: string | null,
): Promise<void> {
  const gtin = parseGtin(digits)
  const owner = await findGtinOwner(trx, gtin)
  if (!owner) throw notFound()
  if (owner.organization === organization) throw invalid([{ path: 'gtin', code: 'own', message: 'is held by your organization already' }])
  await lockByName(trx, `gtin contests ${organization}`)
  const open = trx('gtin_contests').where({ organization }).whereNull('decided_at')
  const others = await open.clone().whereNot({ gtin }).count<{ count: number }[]>({ count: '*' }).first()
  if (Number(others?.count) >= maxOpenContests) {
    throw invalid([{ path: 'gtin', code: 'too_many', message: `cannot be contested while ${maxOpenContests} others wait for the operator` }])
  }
  const changed = await open.clone().where({ gtin }).update({ reason })
  if (changed === 0) await trx('gtin_contests').insert({ id: newId(), gtin, organization, reason })
}
