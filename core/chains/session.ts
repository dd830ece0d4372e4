import type { Knex } from 'knex'
import type { Logger } from 'pino'
import type { OutcomeTakers } from './chain.ts'
import { hasSharedContracts, type ContractKey, type PassportsContract } from './contracts.ts'
import type { Block, Family } from './family.ts'
import type { Network } from './networks.ts'
import { senderRow, setGenesis, setNonce, takeNonces } from './nonces.ts'
import type { Hold } from './holding.ts'
import { forget, headRecorded, rewind } from './reorganization.ts'
import { Shares, type Sharer } from './shares.ts'
import type { Signer } from './signer/client.ts'
import { retireSenders } from './retired.ts'
import { flying, type Flight } from './transactions.ts'

/** How a sender goes about its work. Times in milliseconds. */
export interface Pace {
  /** Transactions at once that no block has yet; nodes keep few of one sender. */
  window: number
  /** How long a batch waits for more of its kind. */
  gather: number
  /** When stored bytes are sent once more. */
  resend: number
  /** When a transaction that blocks pass by is replaced at a higher fee. */
  stuck: number
  /** How long a used nonce may be without a receipt. */
  gone: number
  /** How often the node may refuse a transaction before its nonce is used up by an empty one. */
  refusals: number
  /** How long at most a contract that takes nothing, as while it is paused, is left alone. */
  hold: number
  /** How often an idle sender looks whether its node still has the same chain. */
  idle: number
}

/** Before every organization there is. */
const noOrganization = '00000000-0000-0000-0000-000000000000'

/** How much of the window one organization may fill, so that the others find room whenever they come. */
const shareOfWindow = 0.75

/** Most transactions under way, those that wait for blocks on top included. */
const most = 400

export const standardPace: Pace = {
  window: 16, gather: 100, resend: 5_000, stuck: 30_000, gone: 3_000, refusals: 2, hold: 16_000, idle: 5_000,
}

/** What a sender has to do: one address on one network, its place among the network's senders. */
export interface Duty {
  network: Network
  account: string
  address: string
  place: number
  of: number
  /** Addresses of all of the network's senders. */
  addresses: readonly string[]
  /** Blocks on top, a transaction's own included, before it is final. */
  confirmations: number
  /** Most batches of one contract: a further contract takes more. */
  maxBatches: number
  /** What a contract's token URIs begin with. */
  baseUri: string
  pace: Pace
  family: Family
  signer: Signer
  takers: OutcomeTakers
  log: Logger
}

/** A sender at work: it holds the lease, so nobody else changes what is kept here. */
export interface Session extends Duty {
  db: Knex
  /** Transactions under way with the lowest nonces, in order. */
  flights: Flight[]
  /** Whether there are more of them than `flights` holds; nothing new is sent then. */
  more: boolean
  nonce: number
  /** The newest block that anything was recorded in. */
  anchor: Block | null
  /** Number of the newest block, as last seen. */
  head: number
  /** The newest contract of passports that is in the chain, by application. */
  contracts: Map<string, PassportsContract>
  /** Whether this sender has contracts that all applications share. */
  recorder: boolean
  /** Contracts that take nothing at present. */
  holds: Map<ContractKey, Hold>
  /** Whose operations were sent last, so that each has its turn. */
  served: { batches: string; singles: string; job: string | null }
  /** Whose outcomes are handed over next. */
  settling: Shares
  /** Whose outcomes took the time of this round, or wait for theirs still. */
  busy: ReadonlySet<Sharer>
}

/** Holds the records against the node and takes up what is under way. */
export async function openSession(duty: Duty, db: Knex): Promise<Session> {
  const { family } = duty
  const session: Session = {
    ...duty, db, flights: [], more: false, nonce: 0, anchor: null, head: 0, contracts: new Map(), holds: new Map(),
    served: { batches: noOrganization, singles: noOrganization, job: null }, settling: new Shares(), busy: new Set(),
    recorder: await hasSharedContracts(db, duty),
  }
  const row = await senderRow(db, duty)
  await retireSenders(db, duty)
  const genesis = await family.open()
  if (row.genesis !== null && genesis !== null && row.genesis !== genesis) await forget(session)
  else await rewind(session)
  if (genesis !== null && row.genesis !== genesis) await setGenesis(db, duty, genesis)
  await loadFlights(session)
  const { count } = await family.view([])
  session.nonce = Math.max(row.next, count)
  if (session.nonce !== row.next) await setNonce(db, duty, session.nonce)
  session.anchor = await headRecorded(session)
  return session
}

export async function loadFlights(session: Session): Promise<void> {
  const known = new Map(session.flights.map((flight) => [flight.id, flight]))
  const rows = await flying(session.db, session, most + 1)
  session.more = rows.length > most
  session.flights = rows.slice(0, most).map((row) => {
    const before = known.get(row.id)
    return before ? { ...row, sent: before.sent, gone: before.gone, refused: before.refused } : row
  })
}

/** Leaves the next nonces, up to this one, to empty transactions, which fill what nothing has. */
export async function leaveNonces(session: Session, last: number): Promise<void> {
  const { db, nonce } = session
  if (last < nonce) return
  await takeNonces(db, session, nonce, last + 1 - nonce)
  session.nonce = last + 1
}

/** How many more transactions may be sent now. */
export function roomOf({ flights, more, pace }: Session): number {
  if (more) return 0
  return Math.min(most - flights.length, pace.window - flights.filter(({ block }) => block === null).length)
}

/** How many more transactions may be sent now for one organization. */
export function roomFor({ flights, pace }: Session, organization: string): number {
  const unmined = flights.filter((one) => one.block === null && one.organization === organization).length
  return Math.max(0, Math.ceil(pace.window * shareOfWindow) - unmined)
}
