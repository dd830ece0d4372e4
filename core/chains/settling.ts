import type { Knex } from 'knex'
import type { Settled, SettledRecord } from './chain.ts'
import type { Anchoring } from './family.ts'
import { countFinal } from './nonces.ts'
import { fail, finish, operationsOf, tokenIdOf, type Operation, type TokenOperation } from './operations.ts'
import { isRecord, type RecordOperation } from './records.ts'
import { rowsOf } from './rows.ts'
import type { Session } from './session.ts'
import { recordMined, type Flight, type Mined } from './transactions.ts'

/** Most outcomes that are handed over at once. */
const most = 500

export interface Landed extends Mined { flight: Flight }

type FinishedToken = TokenOperation & { transaction: string }
type FinishedRecord = RecordOperation & { transaction: string }

/**
 * Records that transactions are final and hands the outcomes over, in one database transaction. They are to be of one
 * kind and application.
 */
export async function settleFinal(session: Session, landed: readonly Landed[]): Promise<void> {
  const earlier = await earlierAnchorings(session, landed)
  await session.db.transaction(async (trx) => {
    await recordMined(trx, 'final', landed)
    const done = await finish(trx, landed.map(({ id }) => id))
    await countFinal(trx, session, done.length)
    const tokens = done.filter((one): one is FinishedToken => !isRecord(one))
    if (tokens.length > 0) await settleTokens(session, trx, landed, tokens)
    const records = done.filter((one): one is FinishedRecord => isRecord(one))
    if (records.length > 0) await settleRecords(session, trx, landed, records, earlier)
  })
}

async function settleTokens(
  session: Session, trx: Knex.Transaction, landed: readonly Landed[], done: FinishedToken[],
): Promise<void> {
  const byId = new Map(landed.map((one) => [one.id, one]))
  const issuer = await issuerOf(session, trx, done[0]?.application)
  const outcomes = done.sort((a, b) => a.line - b.line).map((operation): Settled => {
    const { flight, receipt } = byId.get(operation.transaction) ?? {}
    return {
      ...described(operation), status: 'final', reason: null, contract: flight?.contract ?? null,
      transactionHash: receipt?.hash ?? null, from: operation.kind === 'transferTo' ? receipt?.from ?? issuer : null,
      owner: operation.kind === 'mintToIssuer' ? issuer : operation.recipient, at: receipt?.at ?? null,
    }
  })
  await inPortions(outcomes, (portion) => session.takers.passports(trx, portion))
}

async function settleRecords(
  { takers }: Session, trx: Knex.Transaction, landed: readonly Landed[], done: readonly FinishedRecord[],
  earlier: ReadonlyMap<string, Anchoring>,
): Promise<void> {
  const byId = new Map(landed.map((one) => [one.id, one]))
  const outcomes = done.map((record): SettledRecord => {
    const { flight, receipt } = byId.get(record.transaction) ?? {}
    const before = record.kind === 'anchor' ? earlier.get(record.content.root) : undefined
    return {
      ...describedRecord(record), status: 'final', reason: null, contract: flight?.contract ?? null,
      transactionHash: before?.hash ?? receipt?.hash ?? null,
      blockNumber: before?.blockNumber ?? receipt?.block?.number ?? null, at: before?.at ?? receipt?.at ?? null,
    }
  })
  await inPortions(outcomes, (portion) => takers.records(trx, portion))
}

/**
 * Where roots were anchored that transactions found anchored already, by root: certificates that are again as they
 * once were have the root of then, and what proves it is the transaction of then.
 */
async function earlierAnchorings(
  { db, family }: Session, landed: readonly Landed[],
): Promise<ReadonlyMap<string, Anchoring>> {
  const found = new Map<string, Anchoring>()
  for (const { id, flight: { kind, contract }, receipt } of landed) {
    if (kind !== 'anchor' || contract === null) continue
    const fresh = new Set(receipt.roots)
    for (const operation of await operationsOf(db, id)) {
      if (operation.kind !== 'anchor' || fresh.has(operation.content.root)) continue
      const anchoring = await family.anchoringOf(contract, operation.content.root)
      if (!anchoring) throw new Error('a root is not where it was anchored')
      found.set(operation.content.root, anchoring)
    }
  }
  return found
}

/** Ends operations of one kind and application badly, in the caller's transaction. */
export async function settleFailed(
  { takers }: Session, trx: Knex.Transaction, operations: readonly Operation[], reason: string,
): Promise<void> {
  await fail(trx, operations.map(({ id }) => id), reason)
  const ending = { status: 'failed', reason, contract: null, transactionHash: null, at: null } as const
  const tokens = operations.flatMap((one): Settled[] =>
    isRecord(one) ? [] : [{ ...described(one), ...ending, from: null, owner: null }])
  const records = operations.flatMap((one): SettledRecord[] =>
    isRecord(one) ? [{ ...describedRecord(one), ...ending, blockNumber: null }] : [])
  await inPortions(tokens, (portion) => takers.passports(trx, portion))
  await inPortions(records, (portion) => takers.records(trx, portion))
}

/** Ends operations that will never happen, each kind and application by itself. */
export async function refuse(session: Session, operations: readonly Operation[], reason: string): Promise<void> {
  const kindOf = (one: Operation) => `${isRecord(one) ? '' : one.application} ${one.kind}`
  for (const group of Map.groupBy(operations, kindOf).values()) {
    await session.db.transaction((trx) => settleFailed(session, trx, group, reason)).catch((cause: unknown) => {
      session.log.error({ err: cause, network: session.network }, 'a failure could not be handed over')
    })
  }
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
  // All contracts of an application have one issuer.
  const [row] = await rowsOf<{ issuer: string | null }>(trx, `select issuer from chain_contracts
    where network = ? and application = ? and kind = 'passports' order by part limit 1`, [network, application])
  return row?.issuer ?? null
}

function described(operation: TokenOperation) {
  const { id, kind, organization, application, network, job, line } = operation
  return { id, kind, organization, application, network, tokenId: tokenIdOf(operation), job, line }
}

function describedRecord({ id, kind, organization, network, job }: RecordOperation) {
  return { id, kind, organization, network, job }
}

async function inPortions<T>(list: readonly T[], work: (portion: T[]) => Promise<void>): Promise<void> {
  for (const portion of portions(list)) await work(portion)
}

function portions<T>(list: readonly T[]): T[][] {
  const count = Math.ceil(list.length / most)
  return Array.from({ length: count }, (_, index) => list.slice(index * most, (index + 1) * most))
}
