import type { OrganizationErasure } from '../../../area.ts'

/** Forgets who may claim the passports of a deleted organization. What a passport shows stays. */
export const eraseClaimContacts: OrganizationErasure = ({ organization, limit, runStep }) =>
  runStep(async (trx) => {
    const { rowCount } = await trx.raw<{ rowCount: number }>(
      `update passports set allowed_claim_email = null, allowed_claim_phone_number = null
       where id = any(array(
         select id from passports where organization = ?
           and (allowed_claim_email is not null or allowed_claim_phone_number is not null)
         limit ?))`,
      [organization, limit],
    )
    return rowCount
  })
