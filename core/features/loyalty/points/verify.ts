import type { Knex } from 'knex'
import type { Chains } from '../../../chains/port.ts'
import {
  findBook,
  readBalances,
  verifyLedger,
  type LedgerCheck,
  type LedgerDifference,
  type OwnerBalance,
} from '../../../ledger/index.ts'
import { listFigures, type KeptFigures } from '../../accounts/index.ts'
import { describePointsBook } from '../posting/index.ts'
import { readVisitCounts } from '../visits/index.ts'
import { compareChain, type ChainDifference } from './verify.chain.ts'

/** A figure of an account that differs from the balance of the ledger. */
export interface FigureDifference {
  what: 'figure'
  account: string
  figure: 'points' | 'pending' | 'settled' | 'visits'
  expected: string
  found: string
}

export interface PointsCheck extends Omit<LedgerCheck, 'differences'> {
  differences: (LedgerDifference | FigureDifference | ChainDifference)[]
  /** Only with the chain: accounts that were not compared with it, because entries of theirs are on their way. */
  moving?: number
}

/** Number of accounts whose figures are compared in one transaction. */
const chunkSize = 1_000
const lowestId = '00000000-0000-0000-0000-000000000000'

/**
 * Replays the ledger, and compares the figures of accounts with its balances.
 * @param options.organization only what is of this organization
 * @param options.chains compares what is final with the points on the chain too
 * @throws NodeUnavailableError if the chain is to be compared and no node answers
 */
export async function verifyPoints(
  db: Knex,
  { organization, chains }: { organization?: string; chains?: Pick<Chains, 'performs' | 'readPoints'> } = {},
): Promise<PointsCheck> {
  const { checked, differences } = await verifyLedger(db, organization === undefined ? {} : { organization })
  const found: PointsCheck['differences'] = [...differences]
  let moving = 0
  for (let after: string | undefined = lowestId; after !== undefined;) {
    const chunk: FigureChunk = await verifyFigures(db, organization ?? null, after)
    found.push(...chunk.differences)
    if (chains) {
      const onChain = await compareChain(db, chains, chunk.accounts)
      found.push(...onChain.differences)
      moving += onChain.moving
    }
    after = chunk.accounts.at(-1)?.account
  }
  return { checked, differences: found, ...(chains && { moving }) }
}

interface FigureChunk {
  accounts: KeptFigures[]
  differences: FigureDifference[]
}

/** Compares the next accounts in one transaction, whose statements all see the same state of the database. */
function verifyFigures(db: Knex, organization: string | null, after: string): Promise<FigureChunk> {
  return db.transaction(
    async (trx) => {
      const accounts = await listFigures(trx, { organization, after, limit: chunkSize })
      const places = Map.groupBy(accounts, ({ application, network }) => `${application} ${network}`)
      const differences: FigureDifference[] = []
      for (const ofPlace of places.values()) differences.push(...(await compareFigures(trx, ofPlace)))
      return { accounts, differences }
    },
    { isolationLevel: 'repeatable read', readOnly: true },
  )
}

/** Compares the accounts of one book. */
async function compareFigures(trx: Knex, accounts: readonly KeptFigures[]): Promise<FigureDifference[]> {
  const [first] = accounts
  if (!first) return []
  const book = await findBook(trx, describePointsBook(first))
  const balances = await (book
    ? readBalances(
        trx,
        book.id,
        accounts.map(({ account }) => account),
      )
    : new Map<string, OwnerBalance>())
  const visited = await readVisitCounts(
    trx,
    first.application,
    accounts.map(({ account }) => account),
  )
  return accounts.flatMap(({ account, points, pending, settled, visits }) => {
    const balance = balances.get(account)
    const figures: [FigureDifference['figure'], expected: bigint, found: bigint][] = [
      ['points', balance?.amount ?? 0n, points],
      ['pending', balance?.pending ?? 0n, pending],
      ['settled', balance?.settled ?? 0n, settled],
      ['visits', visited.get(account) ?? 0n, visits],
    ]
    return figures
      .filter(([, expected, found]) => expected !== found)
      .map(([figure, expected, found]) => ({
        what: 'figure' as const,
        account,
        figure,
        expected: String(expected),
        found: String(found),
      }))
  })
}
