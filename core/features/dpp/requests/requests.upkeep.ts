import type { Knex } from 'knex'
import { deleteOrganizationRows } from '../../../database/delete-rows.ts'
import type { AccountListener, OrganizationErasure } from '../../area.ts'

/** The days for which members can still reach who asked for something that they have decided. */
const contactDays = 90

/** Erases who asked for what was decided 90 days ago. What was decided stays. */
export async function forgetRequesters(db: Knex): Promise<void> {
  await db.raw(
    `update claim_requests set email = null, phone_number = null, end_user = null, text = ''
     where (email is not null or phone_number is not null) and decided_at < now() - interval '${contactDays} days'`,
  )
}

/** Deletes the requests that a deleted organization had got. */
export const eraseRequests: OrganizationErasure = ({ organization, limit, runStep }) =>
  runStep((trx) => deleteOrganizationRows(trx, 'claim_requests', organization, limit))

/** Deletes the requests of a person whose account is deleted. */
export const endRequests: AccountListener = async (trx, _, { application, user }) => {
  await trx('claim_requests').where({ application, end_user: user }).delete()
}
