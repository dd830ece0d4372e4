import type { Knex } from 'knex'
import type { Settled } from './chain.ts'
import { countFinal } from './nonces.ts'
import { fail, finish, tokenIdOf, type Operation } from './operations.ts'
import { rowsOf } from './rows.ts'
import type { Session } from './session.ts'
import { recordMined, type Flight, type Mined } from './transactions.ts'

/** Most outcomes that are handed over at once. */
const most = 500

export interface Landed extends Mined { flight: Flight }

/**
 * Records that transactions are final and hands the outcomes over, in one database transaction. They are to be of one
 * kind and application.
 */
export async function settleFinal(session: Session, landed: readonly Landed[]): Promise<void> {
  const { db, settle } = session
  const byId = new Map(landed.map((one) => [one.id, one]))
  await db.transaction(async (trx) => {
    await recordMined(trx, 'final', landed)
    const done = await finish(trx, landed.map(({ id }) => id))
    if (done.length === 0) return
    const issuer = await issuerOf(session, trx, done[0]?.application)
    const outcomes = done.sort((a, b) => a.line - b.line).map((operation): Settled => {
      const { flight, receipt } = byId.get(operation.transaction) ?? {}
      return {
        ...described(operation), status: 'final', reason: null, contract: flight?.contract ?? null,
        transactionHash: receipt?.hash ?? null, from: operation.kind === 'transferTo' ? receipt?.from ?? issuer : null,
        owner: operation.kind === 'mintToIssuer' ? issuer : operation.recipient, at: receipt?.at ?? null,
      }
    })
    await countFinal(trx, session, outcomes.length)
    await inPortions(outcomes, (portion) => settle(trx, portion))
  })
}

/** Ends operations of one kind and application badly, in the caller's transaction. */
export async function settleFailed(
  { settle }: Session, trx: Knex.Transaction, operations: readonly Operation[], reason: string,
): Promise<void> {
  await fail(trx, operations.map(({ id }) => id), reason)
  const outcomes = operations.map((operation): Settled => ({
    ...described(operation), status: 'failed', reason,
    contract: null, transactionHash: null, from: null, owner: null, at: null,
  }))
  await inPortions(outcomes, (portion) => settle(trx, portion))
}

/** Groups what may be settled together: one kind and application, and no more than one hand-over takes. */
export function settlements(landed: readonly Landed[]): Landed[][] {
  const groups = Map.groupBy(landed, ({ flight: { kind, application, id } }) =>
    kind === 'mint' || kind === 'transfer' ? `${kind} ${application}` : id)
  return [...groups.values()].flatMap((group) => portions(group))
}

async function issuerOf({ network, contracts }: Session, trx: Knex, application = ''): Promise<string | null> {
  const known = contracts.get(application)
  if (known) return known.issuer
  const [row] = await rowsOf<{ issuer: string | null }>(trx,
    'select issuer from chain_contracts where network = ? and application = ?', [network, application])
  return row?.issuer ?? null
}

function described(operation: Operation) {
  const { id, kind, organization, application, network, job, line } = operation
  return { id, kind, organization, application, network, tokenId: tokenIdOf(operation), job, line }
}

async function inPortions<T>(list: readonly T[], work: (portion: T[]) => Promise<void>): Promise<void> {
  for (const portion of portions(list)) await work(portion)
}

function portions<T>(list: readonly T[]): T[][] {
  const count = Math.ceil(list.length / most)
  return Array.from({ length: count }, (_, index) => list.slice(index * most, (index + 1) * most))
}
