import type { Knex } from 'knex'
import type { AccountListener, OrganizationErasure } from '../../area.ts'
import { OfferRow } from './offers.model.ts'
import { offerStatus } from './offers.machine.ts'
import { failOffer } from './offers.store.ts'

/**
 * Ends the offers of a person whose account is deleted: those that they made are withdrawn, and one that they accepted
 * fails unless its operation is queued. Neither names them any more.
 */
export const endOffers: AccountListener = async (trx, context, { application, user }) => {
  await trx.raw(
    `update passport_offers set ${offerStatus.setWherePossible('withdraw')}, from_user = null, updated_at = now()
     where application = ? and from_user = ?`,
    [application, user],
  )
  const accepted = await listUnqueuedOffers(trx, application, user)
  for (const { id } of accepted) await failOffer(trx, id, 'The account of whoever accepted it was deleted.')
  await context.queue.wakeJobs(trx, ...accepted.flatMap(({ job }) => job ?? []))
  await trx('passport_offers')
    .where({ application, to_user: user })
    .update({ to_user: null, to_email: null, to_phone_number: null })
}

/** Locks a person's accepted offers that have no chain operation yet, in the order of their ids. */
async function listUnqueuedOffers(trx: Knex, application: string, user: string): Promise<OfferRow[]> {
  return OfferRow.query(trx)
    .where({ application, to_user: user, status: 'accepted' })
    .whereNull('operation')
    .orderBy('id')
    .forUpdate()
}

/** Forgets whom the offers of a deleted organization's passports were for. */
export const eraseOffers: OrganizationErasure = ({ organization, limit, runStep }) =>
  runStep(async (trx) => {
    const { rowCount } = await trx.raw<{ rowCount: number }>(
      `update passport_offers set to_email = null, to_phone_number = null where id = any(array(
         select id from passport_offers
         where organization = ? and (to_email is not null or to_phone_number is not null) limit ?))`,
      [organization, limit],
    )
    return rowCount
  })
