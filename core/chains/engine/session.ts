import type { Knex } from 'knex'
import type { Logger } from 'pino'
import type { OutcomeHandlers } from '../port.ts'
import { hasSharedContracts, type ContractKey, type PassportsContract } from './rows/contracts.ts'
import type { Block, ChainAdapter } from '../family.ts'
import type { Capabilities, Network } from '../networks.ts'
import { ensureSenderRow, updateGenesis } from './rows/senders.ts'
import type { SenderPacing } from '../pacing.ts'
import type { InFlightTransaction, Sequence } from '../sequence.ts'
import type { ContractHold } from './contract-holds.ts'
import { rewindToGenesis, findNewestRecordedBlock, rewindToKnownBlock } from './reorganization.ts'
import { FairShares, type ShareHolder } from './fair-shares.ts'
import { updateRetiredSenders } from './rows/retired-senders.ts'
import { listInFlightTransactions } from './rows/transactions.ts'

/** An id that sorts before the id of every organization and application. */
const lowestId = '00000000-0000-0000-0000-000000000000'

/** The share of the send window that one organization may fill, so that others always find room. */
const maxOrganizationShare = 0.75

/** Maximum number of transactions in flight, including those that wait for confirmations. */
const maxInFlight = 400

/** The settings of a sender: one address on one network, and its place among the network's senders. */
export interface SenderOptions {
  network: Network
  account: string
  address: string
  senderIndex: number
  senderCount: number
  /** Addresses of all senders of the network. */
  addresses: readonly string[]
  /** Number of blocks before a transaction is final, including the transaction's own block. */
  confirmations: number
  capabilities: Capabilities
  /** Maximum number of batches in one contract; a further contract takes more. */
  maxBatches: number
  /** Beginning of the token URIs of a contract. */
  baseUri: string
  pacing: SenderPacing
  adapter: ChainAdapter
  outcomeHandlers: OutcomeHandlers
  log: Logger
}

/**
 * The state of a working sender. The sender holds the lease, so no other process changes the rows that this state
 * mirrors.
 */
export interface SenderSession extends SenderOptions {
  db: Knex
  sequence: Sequence
  /** The transactions in flight with the lowest places, in order. */
  flights: InFlightTransaction[]
  /** Whether more transactions are in flight than `flights` holds; then no new ones are sent. */
  hasMore: boolean
  /** Newest block in which anything was recorded. */
  newestRecordedBlock: Block | null
  /** Number of the newest block at the last poll. */
  head: number
  /** Newest passports contract that is on the chain, by application. */
  contracts: Map<string, PassportsContract>
  /** Whether this sender has deployed contracts that all applications share. */
  hasSharedContracts: boolean
  /** Contracts that take no operations at present. */
  holds: Map<ContractKey, ContractHold>
  /** Organizations, application (of points) and job whose operations were sent last, so that each has its turn. */
  lastServed: { batches: string; singles: string; points: string; job: string | null }
  /** Whether points are planned before batches in the next round; the two take turns. */
  isPointsTurn: boolean
  /** Scheduler that chooses the organization whose outcomes are handed over next. */
  settlementShares: FairShares
  /** Organizations whose outcomes took up this round, or still wait to be handed over. */
  busyHolders: ReadonlySet<ShareHolder>
}

/** Compares the records with the node and loads the transactions in flight. */
export async function openSession(options: SenderOptions, db: Knex): Promise<SenderSession> {
  const { adapter } = options
  const state: Omit<SenderSession, 'sequence'> = {
    ...options,
    db,
    flights: [],
    hasMore: false,
    newestRecordedBlock: null,
    head: 0,
    contracts: new Map(),
    holds: new Map(),
    lastServed: { batches: lowestId, singles: lowestId, points: lowestId, job: null },
    isPointsTurn: false,
    settlementShares: new FairShares(),
    busyHolders: new Set(),
    hasSharedContracts: await hasSharedContracts(db, options),
  }
  const session: SenderSession = Object.assign(state, { sequence: adapter.openSequence(state) })
  const row = await ensureSenderRow(db, options)
  await updateRetiredSenders(db, options)
  const genesis = await adapter.checkNode()
  if (row.genesis !== null && genesis !== null && row.genesis !== genesis) await rewindToGenesis(session)
  else await rewindToKnownBlock(session)
  if (genesis !== null && row.genesis !== genesis) await updateGenesis(db, options, genesis)
  await loadInFlightTransactions(session)
  await adapter.readSnapshot([])
  await session.sequence.resume()
  session.newestRecordedBlock = await findNewestRecordedBlock(session)
  return session
}

export async function loadInFlightTransactions(session: SenderSession): Promise<void> {
  const known = new Map(session.flights.map((flight) => [flight.id, flight]))
  const rows = await listInFlightTransactions(session.db, session, maxInFlight + 1)
  session.hasMore = rows.length > maxInFlight
  session.flights = rows.slice(0, maxInFlight).map((row) => {
    const before = known.get(row.id)
    return before ? { ...row, sent: before.sent, refused: before.refused } : row
  })
}

/** Returns how many more transactions may be sent now. */
export function getSendCapacity({ flights, hasMore, pacing, sequence }: SenderSession): number {
  if (hasMore) return 0
  return Math.min(
    sequence.getCapacity(),
    maxInFlight - flights.length,
    pacing.maxUnminedTransactions - flights.filter(({ block }) => block === null).length,
  )
}

/** Returns how many more transactions may be sent now for one organization. */
export function getOrganizationCapacity({ flights, pacing }: SenderSession, organization: string): number {
  const unmined = flights.filter((one) => one.block === null && one.organization === organization).length
  return Math.max(0, Math.ceil(pacing.maxUnminedTransactions * maxOrganizationShare) - unmined)
}
