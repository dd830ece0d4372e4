import { lockByName } from '../../../database/lock.ts'
import { newId } from '../../../database/model.ts'
import type { OrganizationCaller } from '../../../kernel/caller.ts'
import { createValidationProblem, createNotFoundProblem } from '../../../kernel/problem.ts'
import type { Work } from '../../../kernel/work.ts'
import { findGtinOwner } from './owners.ts'
import { parseGtin } from './parse.ts'

/** The maximum number of open contests of one organization. */
const maxOpenContests = 1_000

/**
 * Records an organization's objection that a GTIN belongs to it, whoever published the GTIN first; the operator
 * decides. If the organization has an open contest for the GTIN, this changes its reason.
 * @throws NOT_FOUND for a GTIN that nobody has published
 * @throws VALIDATION_FAILED for an invalid GTIN, for the organization's own GTIN, and past 1,000 open contests
 */
export async function contestGtin(
  { trx }: Work,
  { organization }: OrganizationCaller,
  digits: string,
  reason: string | null,
): Promise<void> {
  const gtin = parseGtin(digits)
  const owner = await findGtinOwner(trx, gtin)
  if (!owner) throw createNotFoundProblem()
  if (owner.organization === organization)
    throw createValidationProblem([{ path: 'gtin', code: 'own', message: 'is held by your organization already' }])
  await lockByName(trx, `gtin contests ${organization}`)
  const open = trx('gtin_contests').where({ organization }).whereNull('decided_at')
  const others = await open.clone().whereNot({ gtin }).count<{ count: number }[]>({ count: '*' }).first()
  if (Number(others?.count) >= maxOpenContests) {
    throw createValidationProblem([
      {
        path: 'gtin',
        code: 'too_many',
        message: `cannot be contested while ${maxOpenContests} others wait for the operator`,
      },
    ])
  }
  const changed = await open.clone().where({ gtin }).update({ reason })
  if (changed === 0) await trx('gtin_contests').insert({ id: newId(), gtin, organization, reason })
}
