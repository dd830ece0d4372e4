import type { Knex } from 'knex'
import { OfferRow } from './offers.model.ts'
import { offerStatus } from './offers.machine.ts'

type NewOfferRow = Pick<
  OfferRow,
  | 'id'
  | 'organization'
  | 'application'
  | 'passport'
  | 'fromAccount'
  | 'fromUser'
  | 'toEmail'
  | 'toPhoneNumber'
  | 'tokenHash'
>

/** Inserts an offer, which is open for some days. @returns the row */
export async function insertOffer(trx: Knex, { id, ...offer }: NewOfferRow, days: number): Promise<OfferRow> {
  const { rows } = await trx.raw<{ rows: { id: string }[] }>(
    `insert into passport_offers (id, organization, application, passport, from_account, from_user, to_email,
       to_phone_number, token_hash, ${offerStatus.column}, expires_at)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ${offerStatus.target('create')}, now() + ? * interval '1 day') returning id`,
    [
      id,
      offer.organization,
      offer.application,
      offer.passport,
      offer.fromAccount,
      offer.fromUser,
      offer.toEmail,
      offer.toPhoneNumber,
      offer.tokenHash,
      days,
    ] as Knex.RawBinding[],
  )
  return readOffer(trx, rows[0]?.id ?? id)
}

export async function readOffer(db: Knex, id: string): Promise<OfferRow> {
  const row = await OfferRow.query(db).findById(id)
  if (!row) throw new Error(`Offer ${id} is gone`)
  return row
}

/** Ends open offers whose time is over. @param passport only those of this passport */
export async function expireOffers(db: Knex, passport: string | null = null): Promise<void> {
  await db.raw(
    `update passport_offers set ${offerStatus.set('expire')}, updated_at = now()
     where ${offerStatus.isPossible('expire')} and expires_at <= now() and (?::uuid is null or passport = ?::uuid)`,
    [passport, passport],
  )
}

/** Finds the offer of a passport that waits for an answer, or whose token is on its way, and locks it. */
export async function lockCurrentOffer(trx: Knex, passport: string): Promise<OfferRow | undefined> {
  return OfferRow.query(trx).where({ passport }).whereIn('status', ['open', 'accepted']).forUpdate().first()
}

interface Acceptance {
  job: string
  toUser: string
  toAccount: string | null
}

/** Accepts an open offer. */
export async function acceptOfferRow(trx: Knex, id: string, { job, toUser, toAccount }: Acceptance): Promise<void> {
  await trx.raw(
    `update passport_offers set ${offerStatus.set('accept')}, job = ?, to_user = ?, to_account = ?, updated_at = now()
     where id = ? and ${offerStatus.isPossible('accept')}`,
    [job, toUser, toAccount, id] as Knex.RawBinding[],
  )
}

/** Ends an open offer without a token that moves. */
export async function closeOffer(trx: Knex, id: string, move: 'decline' | 'withdraw'): Promise<void> {
  await trx.raw(
    `update passport_offers set ${offerStatus.set(move)}, updated_at = now() where id = ? and ${offerStatus.isPossible(move)}`,
    [id],
  )
}

/** Stores the chain operation of an accepted offer, and the account that gets the token. */
export async function assignOfferOperation(trx: Knex, id: string, operation: string, account: string): Promise<void> {
  await trx.raw('update passport_offers set operation = ?, to_account = ?, updated_at = now() where id = ?', [
    operation,
    account,
    id,
  ])
}

/** Fails an accepted offer for good. @returns whether it was accepted and had not ended */
export async function failOffer(trx: Knex, id: string, reason: string): Promise<boolean> {
  const { rowCount } = await trx.raw<{ rowCount: number }>(
    `update passport_offers set ${offerStatus.set('fail')}, reason = ?, updated_at = now()
     where id = ? and ${offerStatus.isPossible('fail')}`,
    [reason, id],
  )
  return rowCount > 0
}

/** Stores the transactions of operations, also of offers that have ended, because a reorganization may change them. */
export async function updateOfferTransactions(
  trx: Knex,
  transactions: readonly { operation: string; hash: string | null }[],
): Promise<void> {
  await trx.raw(
    `update passport_offers set transaction_hash = settled.hash, updated_at = now()
     from unnest(?::text[], ?::text[]) as settled (operation, hash) where passport_offers.operation = settled.operation`,
    [transactions.map(({ operation }) => operation), transactions.map(({ hash }) => hash)] as Knex.RawBinding[],
  )
}

/** Completes the accepted offers of these operations. @returns the offers that were accepted */
export async function completeOffers(trx: Knex, operations: readonly string[]): Promise<OfferRow[]> {
  const { rows } = await trx.raw<{ rows: { id: string }[] }>(
    `update passport_offers set ${offerStatus.set('complete')}, updated_at = now()
     where operation = any(?::text[]) and ${offerStatus.isPossible('complete')} returning id`,
    [operations as string[]],
  )
  return OfferRow.query(trx).whereRaw('id = any(?::uuid[])', [rows.map(({ id }) => id)])
}
