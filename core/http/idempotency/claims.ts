import type { Knex } from 'knex'
import type { Logger } from 'pino'
import { v4 } from 'uuid'
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
  status: number | null
  headers: Record<string, string> | null
  body: Buffer | null
  seconds_left: number
}

/** How long a dead request holds its key, and how often a living one says so, in milliseconds. */
const leasedFor = '60 seconds'
const renewedEvery = 20_000

/** Bytes of a body that is kept. */
export const maxBodyBytes = 256 * 1024

/** Answers that are not kept: the same request may fare better next time. */
const notStored = new Set([400, 401, 403, 413, 415, 429])
export const isStored = (status: number): boolean => status < 500 && !notStored.has(status)

/**
 * Takes hold of the key, or answers what the first request with it answered. Committed before the work begins, so that
 * no second process starts the same work. A request that still runs keeps its key, however short its window is.
 * @throws IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_IN_PROGRESS
 */
export async function claimKey(
  db: Knex, claim: Omit<Claim, 'holder'>, hash: Buffer,
): Promise<Claim | Written | AnswerWithoutBody> {
  const mine = { ...claim, holder: v4() }
  const taken = await db.raw<{ rowCount: number }>(
    `
    insert into idempotency (scope, share, operation, key, request_hash, state, holder, lease_until, expires_at)
    values (:scope, :share, :operation, :key, :hash, 'running', :holder, now() + interval '${leasedFor}',
      now() + make_interval(secs => :seconds))
    on conflict (scope, operation, key) do update set
      share = excluded.share, request_hash = excluded.request_hash, state = 'running', holder = excluded.holder,
      lease_until = excluded.lease_until, created_at = now(), expires_at = excluded.expires_at,
      status = null, headers = null, body = null, body_bytes = 0
    where (idempotency.expires_at < now() and (idempotency.state = 'done' or idempotency.lease_until < now()))
      or (idempotency.state = 'running' and idempotency.lease_until < now() and idempotency.request_hash = excluded.request_hash)`,
    { ...mine, hash },
  )
  return taken.rowCount === 1 ? mine : replay(db, mine, hash)
}

async function replay(db: Knex, { scope, operation, key }: Claim, hash: Buffer): Promise<Written | AnswerWithoutBody> {
  const row: Row | undefined = await db('idempotency')
    .where({ scope, operation, key })
    .first('request_hash', 'state', 'status', 'headers', 'body',
      db.raw('greatest(1, ceil(extract(epoch from lease_until - now())))::int as seconds_left'))
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

/** Frees the key of a request whose answer is not kept. */
export async function releaseKey(db: Knex, { scope, operation, key, holder }: Claim): Promise<void> {
  await db('idempotency').where({ scope, operation, key, holder, state: 'running' }).delete()
}
