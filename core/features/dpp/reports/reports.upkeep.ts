import type { Knex } from 'knex'
import { deleteOrganizationRows } from '../../../database/delete-rows.ts'
import type { OrganizationErasure } from '../../area.ts'

/** The days for which members can still reach who reported something that they have handled. */
const contactDays = 90

/** Erases the e-mail addresses of reports that were handled 90 days ago. What was reported stays. */
export async function forgetReporters(db: Knex): Promise<void> {
  await db.raw(
    `update passport_reports set email = null
     where email is not null and handled_at < now() - interval '${contactDays} days'`,
  )
}

/** Deletes the reports that a deleted organization had got. */
export const eraseReports: OrganizationErasure = ({ organization, limit, runStep }) =>
  runStep((trx) => deleteOrganizationRows(trx, 'passport_reports', organization, limit))
