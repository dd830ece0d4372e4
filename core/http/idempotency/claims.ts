import { setTimeout as sleep } from 'node:timers/promises'
import type { Knex } from 'knex'
import type { Logger } from 'pino'
import { v4 } from 'uuid'
import type { Notices } from '../../kernel/parts.ts'
import { problem } from '../../kernel/problem.ts'
import type { Written } from '../present.ts'
import type { IdempotencyKey } from './keys.ts'

/** One request's hold on its key. */
export interface Claim extends IdempotencyKey {
  operation: string
  holder: string
}

/** An answer that was given before, of which the body was too large to be kept, or had to make room since. */
export interface AnswerWithoutBody {
  bodyIsGone: true
  status: number
  headers: Record<string, string>
}

interface Row {
  request_hash: Buffer
  state: 'running' | 'done'
  holder: string
  process: number | null
  status: number | null
  headers: Record<string, string> | null
  body: Buffer | null
  seconds_left: number
}

/** How long a request holds its key that is not known dead, and how often a living one says so, in milliseconds. */
const leasedMs = 60_000
const leasedFor = `${leasedMs / 1000} seconds`
/** One that ends later than any can was taken before the clock went back. */
const leaseIsOver = `(idempotency.lease_until < now() or idempotency.lease_until > now() + 2 * interval '${leasedFor}')`
const renewedEvery = 20_000
/** Milliseconds between two attempts to free the key of a request that failed. */
const releaseEvery = 500
/** Milliseconds for which a process has to be gone before work is begun anew that nothing could undo: one that only reconnects is back by then. */
const goneFor = 1_500

/** Bytes of a body that is kept. */
export const maxBodyBytes = 256 * 1024

/** Answers that are not kept: the same request may fare better next time. */
const notStored = new Set([400, 401, 403, 413, 415, 429])
export const isStored = (status: number): boolean => status < 500 && !notStored.has(status)

/** Where keys are held, and how others see that this process lives. */
export interface Keyring { db: Knex; notices: Notices }

/** What a request wants to hold. */
export interface Wanted extends IdempotencyKey {
  operation: string
  /** Whether the work is one transaction, which a request that lost its key cannot commit. */
  isTransaction: boolean
}

/**
 * Takes hold of the key, or answers what the first request with it answered. Committed before the work begins, so that
 * no second process starts the same work. A request that still runs keeps its key, however short its window is; one whose
 * process is known dead has lost it.
 * @throws IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_IN_PROGRESS
 */
export async function claimKey(keyring: Keyring, wanted: Wanted, hash: Buffer): Promise<Claim | Written | AnswerWithoutBody> {
  const { db, notices } = keyring
  const mine = { ...wanted, holder: v4() }
  const taken = await db.raw<{ rowCount: number }>(
    `
    insert into idempotency (scope, share, operation, key, request_hash, state, holder, process, lease_until, expires_at)
    values (:scope, :share, :operation, :key, :hash, 'running', :holder, :process, now() + interval '${leasedFor}',
      now() + make_interval(secs => :seconds))
    on conflict (scope, operation, key) do update set
      share = excluded.share, request_hash = excluded.request_hash, state = 'running', holder = excluded.holder,
      process = excluded.process, lease_until = excluded.lease_until, created_at = now(), expires_at = excluded.expires_at,
      status = null, headers = null, body = null, body_bytes = 0
    where (idempotency.expires_at < now() and (idempotency.state = 'done' or ${leaseIsOver}))
      or (idempotency.state = 'running' and ${leaseIsOver} and idempotency.request_hash = excluded.request_hash)`,
    { ...mine, hash, process: notices.presence },
  )
  if (taken.rowCount === 1) return mine
  const row = await readRow(db, mine)
  if (row?.request_hash.equals(hash) && await takeFromDead(keyring, row, mine)) return mine
  return replay(row?.state === 'running' ? await readRow(db, mine) : row, hash)
}

/** Takes the key over from a request whose process is gone. @returns false when it lives, has answered, or somebody was quicker */
async function takeFromDead({ db, notices }: Keyring, row: Row, mine: Claim & Pick<Wanted, 'isTransaction'>): Promise<boolean> {
  const { scope, operation, key, holder } = mine
  if (row.state !== 'running' || row.process === null || !await notices.isGone(db, row.process)) return false
  if (!mine.isTransaction) {
    await sleep(goneFor)
    if (!await notices.isGone(db, row.process)) return false
  }
  const taken = await db('idempotency').where({ scope, operation, key, holder: row.holder, state: 'running' })
    .update({ holder, process: notices.presence, lease_until: db.raw(`now() + interval '${leasedFor}'`) })
  return taken === 1
}

const readRow = (db: Knex, { scope, operation, key }: Claim): Promise<Row | undefined> => db('idempotency')
  .where({ scope, operation, key })
  .first('request_hash', 'state', 'holder', 'process', 'status', 'headers', 'body',
    db.raw(`least(${leasedMs / 1000}, greatest(1, ceil(extract(epoch from lease_until - now()))))::int as seconds_left`))

function replay(row: Row | undefined, hash: Buffer): Written | AnswerWithoutBody {
  if (row && !row.request_hash.equals(hash)) {
    throw problem('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was used with another request.', {
      path: 'Idempotency-Key',
    })
  }
  if (row?.state !== 'done' || row.status === null) {
    throw problem('IDEMPOTENCY_IN_PROGRESS', 'The first request with this Idempotency-Key is still running.', {
      headers: { 'Retry-After': String(row?.seconds_left ?? 1) },
    })
  }
  const headers = { ...row.headers, 'Idempotency-Replayed': 'true' }
  if (row.body === null) return { bodyIsGone: true, status: row.status, headers }
  return { status: row.status, headers, body: row.body }
}

/** Holds the key of a request that takes longer than a lease, until it is stopped. */
export function keepLease(db: Knex, { scope, operation, key, holder }: Claim, log: Logger): { stop(): void } {
  const renew = async () => {
    await db('idempotency')
      .where({ scope, operation, key, holder, state: 'running' })
      .update({ lease_until: db.raw(`now() + interval '${leasedFor}'`) })
  }
  const timer = setInterval(
    () => renew().catch((cause: unknown) => log.warn({ err: cause }, 'a lease was not renewed')),
    renewedEvery,
  ).unref()
  return { stop: () => clearInterval(timer) }
}

/**
 * Keeps the answer, in the transaction of the work where there is one: without its cookies, which are secrets of the
 * first answer, and without a body that is too large, which is read again.
 * @returns false when another request took over meanwhile
 */
export async function storeAnswer(
  trx: Knex,
  { scope, operation, key, holder }: Claim,
  written: Written,
): Promise<boolean> {
  const body = bytesOf(written)
  const isKept = body.length <= maxBodyBytes
  const headers = Object.fromEntries(Object.entries(written.headers).filter(([name]) => name.toLowerCase() !== 'set-cookie'))
  const stored = await trx('idempotency')
    .where({ scope, operation, key, holder, state: 'running' })
    .update({
      state: 'done', status: written.status, headers: JSON.stringify(headers),
      body: isKept ? body : null, body_bytes: isKept ? body.length : 0,
    })
  return stored === 1
}

/** Of a stream nothing is kept: it is read once. */
function bytesOf({ body }: Written): Buffer {
  if (typeof body === 'string') return Buffer.from(body)
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0)
}

/**
 * Frees the key of a request whose answer is not kept: while the database is away again and again, until the lease would
 * have ended by itself.
 */
export async function releaseKey(db: Knex, { scope, operation, key, holder }: Claim): Promise<void> {
  const end = performance.now() + leasedMs
  for (;;) {
    try {
      return void await db('idempotency').where({ scope, operation, key, holder, state: 'running' }).delete()
    } catch (cause) {
      if (performance.now() > end) throw cause
      await sleep(releaseEvery, undefined, { ref: false })
    }
  }
}
