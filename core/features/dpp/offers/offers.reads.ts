import type { Knex } from 'knex'
import type { EndUserCaller } from '../../../kernel/caller.ts'
import { createNotFoundProblem } from '../../../kernel/problem.ts'
import type { Work } from '../../../kernel/work.ts'
import { readPublicPassport } from '../passports/index.ts'
import { namePassports } from '../selection/index.ts'
import { OfferRow } from './offers.model.ts'
import { findObstacle, isAddressee } from './offers.rules.ts'
import type { Transfer } from './offers.schema.ts'
import { hashOfferToken } from './offers.tokens.ts'

/** Presents an offer to its owner or to whom it is for. An offer whose time is over has expired. */
export function presentOffer(row: OfferRow, direction: Transfer['direction']): Transfer {
  const isOver = row.status === 'open' && Date.parse(row.expiresAt) <= Date.now()
  return {
    id: row.id,
    passport: row.passport,
    direction,
    status: isOver ? 'expired' : row.status,
    email: row.toEmail,
    phone: row.toPhoneNumber,
    jobId: row.job,
    transactionHash: row.transactionHash,
    reason: row.reason,
    expiresAt: row.expiresAt,
    createdAt: row.createdAt,
  }
}

const getDirection = (caller: EndUserCaller, row: OfferRow): Transfer['direction'] =>
  row.fromUser === caller.user ? 'made' : 'received'

/** Selects the offers that the buyer has made, has accepted, or that name a verified address of theirs. */
const queryOwnOffers = (db: Knex, { user, application, email, phoneNumber }: EndUserCaller) =>
  OfferRow.query(db)
    .where({ application })
    .where((own) => {
      void own.where({ from_user: user }).orWhere({ to_user: user })
      if (email !== null) void own.orWhere({ to_email: email.toLowerCase() })
      if (phoneNumber !== null) void own.orWhere({ to_phone_number: phoneNumber })
    })
    .orderBy([
      { column: 'created_at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ])

/** Reads the newest offer of a passport that the buyer has made or got. @throws NOT_FOUND */
export async function readOwnOffer(db: Knex, caller: EndUserCaller, passport: string): Promise<Transfer> {
  const row = await queryOwnOffers(db, caller).where({ passport }).first()
  if (!row) throw createNotFoundProblem()
  return presentOffer(row, getDirection(caller, row))
}

/** An offer as its owner, or whom it is for, sees it among their own: with the name of the passport. */
export interface ListedOffer extends Transfer {
  name: string
}

/** Lists the offers that the buyer has made and got, the newest first. */
export async function listOwnOffers(db: Knex, caller: EndUserCaller, limit: number): Promise<ListedOffer[]> {
  const rows = await queryOwnOffers(db, caller).limit(limit)
  const named = await namePassports(db, [...new Set(rows.map(({ passport }) => passport))])
  const names = new Map(named.map(({ id, name }) => [id, name]))
  return rows.map((row) => ({
    ...presentOffer(row, getDirection(caller, row)),
    name: names.get(row.passport) ?? row.passport,
  }))
}

/** Checks whether the owner of a passport could offer it now. @throws NOT_FOUND, also for a draft */
export async function isTransferable({ trx, context }: Work, passport: string): Promise<boolean> {
  if ((await findObstacle(trx, context, await readPublicPassport(trx, passport))) !== null) return false
  const current = await OfferRow.query(trx).where({ passport }).whereIn('status', ['open', 'accepted']).first()
  return current === undefined || presentOffer(current, 'made').status === 'expired'
}

/** An offer as the page of its link finds it. */
export interface LinkedOffer {
  passport: string
  isOpen: boolean
  /** Whether it is for the buyer who looks at it. */
  isTheirs: boolean
}

/** Finds the offer of a link; null for a token that no offer has. */
export async function findLinkedOffer(
  db: Knex,
  token: string,
  caller: EndUserCaller | null,
): Promise<LinkedOffer | null> {
  const row = await OfferRow.query(db).findOne({ token_hash: hashOfferToken(token) })
  if (!row) return null
  return {
    passport: row.passport,
    isOpen: presentOffer(row, 'received').status === 'open',
    isTheirs: caller !== null && caller.application === row.application && isAddressee(caller, row),
  }
}
