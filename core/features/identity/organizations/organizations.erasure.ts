import type { Knex } from 'knex'
import type { OrganizationErasure } from '../../area.ts'
import { deleteUnheldPersons } from '../departures.ts'
import { restoreDays } from './organizations.deletion.ts'
import { OrganizationModel } from './organizations.model.ts'

/** Selects deleted organizations that can be restored no more and of which not everything is erased. */
const dueSql = `deleted_at < now() - interval '${restoreDays} days' and erased_at is null`

/** Lists organizations whose personal data is to be erased, those deleted longest ago first. */
export async function listOrganizationsToErase(db: Knex): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { id: string }[] }>(
    `select id from organizations where ${dueSql} order by deleted_at limit 100`,
  )
  return rows.map(({ id }) => id)
}

/**
 * Locks an organization whose personal data is to be erased, so that one process at a time erases a batch of it.
 * @returns false if there is nothing to erase any more
 */
export async function lockForErasure(trx: Knex, organization: string): Promise<boolean> {
  const { rows } = await trx.raw<{ rows: unknown[] }>(
    `select from organizations where id = ? and ${dueSql} for no key update`,
    [organization],
  )
  return rows.length > 0
}

/**
 * Notes that the areas have erased what they had of persons. The organization keeps its name, which public passports show,
 * unless it was a person.
 */
export async function finishErasure(trx: Knex, organization: string): Promise<void> {
  const { customerType } = await OrganizationModel.query(trx).findById(organization).throwIfNotFound()
  const erased = { deleted_by: null, created_by: null, logo: null, metadata: null, erased_at: trx.fn.now() }
  await trx('organizations')
    .where({ id: organization })
    .update(customerType === 'individual' ? { ...erased, name: 'Deleted', slug: `deleted-${organization}` } : erased)
}

/** Deletes at most `limit` rows of a table that an organization owns. @returns how many */
const deleteRows = async (trx: Knex, table: string, owner: Record<string, string>, limit: number): Promise<number> =>
  trx(table).whereIn('id', trx(table).where(owner).orderBy('id').limit(limit).select('id')).delete()

/** Deletes members, and persons whom nothing holds any more. */
const eraseMembers: OrganizationErasure = ({ organization, limit, runStep }) =>
  runStep(async (trx) => {
    const { rows } = await trx.raw<{ rows: { user_id: string }[] }>(
      `delete from members where id = any(array(
         select id from members where organization_id = ? order by id limit ?)) returning user_id`,
      [organization, limit],
    )
    await deleteUnheldPersons(
      trx,
      rows.map(({ user_id }) => user_id),
    )
    return rows.length
  })

/** Deletes what is left of the sessions of buyers. */
const eraseSessions: OrganizationErasure = ({ applications, limit, runStep }) =>
  runStep(async (trx) => {
    const { rowCount } = await trx.raw<{ rowCount: number }>(
      `delete from sessions where id = any(array(
         select id from sessions where application = any(?::uuid[]) limit ?))`,
      [applications as string[], limit],
    )
    return rowCount
  })

/** What this area erases of a deleted organization, in this order. */
export const identityErasures: readonly OrganizationErasure[] = [
  ({ organization, limit, runStep }) => runStep((trx) => deleteRows(trx, 'api_keys', { organization }, limit)),
  ({ organization, limit, runStep }) =>
    runStep((trx) => deleteRows(trx, 'organization_secrets', { organization }, limit)),
  ({ organization, limit, runStep }) =>
    runStep((trx) => deleteRows(trx, 'invitations', { organization_id: organization }, limit)),
  eraseMembers,
  eraseSessions,
]

/** Creates the SQL condition that an organization is there and not deleted. @param id the SQL of its identifier */
export const createPresentCondition = (id: string): string =>
  `exists (select from organizations present where present.id = ${id} and present.deleted_at is null)`
