import { setTimeout as sleep } from 'node:timers/promises'
import type { Knex } from 'knex'
import type { Logger } from 'pino'
import { v4 } from 'uuid'
import type { Notices } from '../../kernel/ports/notices.ts'
import { createProblem } from '../../kernel/problem.ts'
import type { WireAnswer } from '../pipeline/present-value.ts'
import type { IdempotencyKey } from './keys.ts'

/** The lease of one request on its key. */
export interface KeyLease extends IdempotencyKey {
  operation: string
  holder: string
}

/** An earlier answer without its body, which was too large to be stored or was deleted to make room. */
export interface AnswerWithoutBody {
  bodyIsGone: true
  status: number
  headers: Record<string, string>
}

interface IdempotencyRow {
  request_hash: Buffer
  state: 'running' | 'done'
  holder: string
  process: number | null
  status: number | null
  headers: Record<string, string> | null
  body: Buffer | null
  seconds_left: number
}

/** Time in milliseconds after which the lease of a request ends, unless its process renews it. */
const leaseMs = 60_000
const leaseInterval = `${leaseMs / 1000} seconds`
/**
 * SQL condition for a lease that has ended. A lease that ends later than any can was taken before the clock was set
 * back.
 */
const leaseIsOverSql = `(idempotency.lease_until < now() or idempotency.lease_until > now() + 2 * interval '${leaseInterval}')`
const renewalIntervalMs = 20_000
/** Milliseconds between two attempts to release the key of a failed request. */
const releaseRetryDelayMs = 500
/**
 * Milliseconds for which a process has to be gone before work is repeated that cannot be rolled back. A process that
 * only reconnects is back by then.
 */
const goneConfirmationDelayMs = 1_500

/** Maximum size in bytes of a body that is stored. */
export const maxBodyBytes = 256 * 1024

/** Statuses of answers that are not stored, because the same request may succeed later. */
const unstoredStatuses = new Set([400, 401, 403, 413, 415, 429])
export const isStoredStatus = (
  status: number,
  { keepsOnlySuccess }: Pick<IdempotencyKey, 'keepsOnlySuccess'>,
): boolean => (keepsOnlySuccess ? status < 300 : status < 500 && !unstoredStatuses.has(status))

/** The database that holds the keys, and the notices by which other processes see that this process is alive. */
export interface KeyStore {
  db: Knex
  notices: Notices
}

/** A request for a lease. */
export interface KeyLeaseRequest extends IdempotencyKey {
  operation: string
  /** Whether the work is one transaction, which a request that has lost its key cannot commit. */
  isTransaction: boolean
}

/**
 * Takes a lease on the key, or returns the answer to the first request with this key. The lease is committed before the
 * work begins, so that no other process starts the same work. A running request keeps its key, however short its window
 * is; it loses the key only if its lease has ended or its process is known to be dead.
 * @throws IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_IN_PROGRESS
 */
export async function leaseKey(
  store: KeyStore,
  request: KeyLeaseRequest,
  hash: Buffer,
): Promise<KeyLease | WireAnswer | AnswerWithoutBody> {
  const { db, notices } = store
  const lease = { ...request, holder: v4() }
  const inserted = await db.raw<{ rowCount: number }>(
    `
    insert into idempotency (scope, share, operation, key, request_hash, state, holder, process, lease_until, expires_at)
    values (:scope, :share, :operation, :key, :hash, 'running', :holder, :process, now() + interval '${leaseInterval}',
      now() + make_interval(secs => :seconds))
    on conflict (scope, operation, key) do update set
      share = excluded.share, request_hash = excluded.request_hash, state = 'running', holder = excluded.holder,
      process = excluded.process, lease_until = excluded.lease_until, created_at = now(), expires_at = excluded.expires_at,
      status = null, headers = null, body = null, body_bytes = 0
    where (idempotency.expires_at < now() and (idempotency.state = 'done' or ${leaseIsOverSql}))
      or (idempotency.state = 'running' and ${leaseIsOverSql} and idempotency.request_hash = excluded.request_hash)`,
    { ...lease, hash, process: notices.processNumber },
  )
  if (inserted.rowCount === 1) return lease
  const row = await readRow(db, lease)
  if (row?.request_hash.equals(hash) && (await takeOverLease(store, row, lease))) return lease
  return toReplayedAnswer(row?.state === 'running' ? await readRow(db, lease) : row, hash)
}

/**
 * Takes over the lease of a request whose process is gone.
 * @returns false if the process is alive, the request has been answered, or another request was faster
 */
async function takeOverLease(
  { db, notices }: KeyStore,
  row: IdempotencyRow,
  lease: KeyLease & Pick<KeyLeaseRequest, 'isTransaction'>,
): Promise<boolean> {
  const { scope, operation, key, holder } = lease
  if (row.state !== 'running' || row.process === null || !(await notices.isProcessGone(db, row.process))) return false
  if (!lease.isTransaction) {
    await sleep(goneConfirmationDelayMs)
    if (!(await notices.isProcessGone(db, row.process))) return false
  }
  const taken = await db('idempotency')
    .where({ scope, operation, key, holder: row.holder, state: 'running' })
    .update({ holder, process: notices.processNumber, lease_until: db.raw(`now() + interval '${leaseInterval}'`) })
  return taken === 1
}

const readRow = (db: Knex, { scope, operation, key }: KeyLease): Promise<IdempotencyRow | undefined> =>
  db('idempotency')
    .where({ scope, operation, key })
    .first(
      'request_hash',
      'state',
      'holder',
      'process',
      'status',
      'headers',
      'body',
      db.raw(
        `least(${leaseMs / 1000}, greatest(1, ceil(extract(epoch from lease_until - now()))))::int as seconds_left`,
      ),
    )

function toReplayedAnswer(row: IdempotencyRow | undefined, hash: Buffer): WireAnswer | AnswerWithoutBody {
  if (row && !row.request_hash.equals(hash)) {
    throw createProblem('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was used with another request.', {
      path: 'Idempotency-Key',
    })
  }
  if (row?.state !== 'done' || row.status === null) {
    throw createProblem('IDEMPOTENCY_IN_PROGRESS', 'The first request with this Idempotency-Key is still running.', {
      headers: { 'Retry-After': String(row?.seconds_left ?? 1) },
    })
  }
  const headers = { ...row.headers, 'Idempotency-Replayed': 'true' }
  if (row.body === null) return { bodyIsGone: true, status: row.status, headers }
  return { status: row.status, headers, body: row.body }
}

/** Renews a lease regularly for a request that takes longer than one lease, until `stop` is called. */
export function startLeaseRenewal(
  db: Knex,
  { scope, operation, key, holder }: KeyLease,
  log: Logger,
): { stop(): void } {
  const renew = async () => {
    await db('idempotency')
      .where({ scope, operation, key, holder, state: 'running' })
      .update({ lease_until: db.raw(`now() + interval '${leaseInterval}'`) })
  }
  const timer = setInterval(
    () => renew().catch((cause: unknown) => log.warn({ err: cause }, 'a lease was not renewed')),
    renewalIntervalMs,
  ).unref()
  return { stop: () => clearInterval(timer) }
}

/**
 * Stores the answer, in the transaction of the work if there is one. Cookies are not stored, because they are secrets
 * of the first answer; neither is a body that is too large, which a replay reads again.
 * @returns false if another request has taken over the lease
 */
export async function storeAnswer(
  trx: Knex,
  { scope, operation, key, holder }: KeyLease,
  answer: WireAnswer,
): Promise<boolean> {
  const body = toBytes(answer)
  const isKept = body.length <= maxBodyBytes
  const headers = Object.fromEntries(
    Object.entries(answer.headers).filter(([name]) => name.toLowerCase() !== 'set-cookie'),
  )
  const stored = await trx('idempotency')
    .where({ scope, operation, key, holder, state: 'running' })
    .update({
      state: 'done',
      status: answer.status,
      headers: JSON.stringify(headers),
      body: isKept ? body : null,
      body_bytes: isKept ? body.length : 0,
    })
  return stored === 1
}

/** Returns the bytes of a body; those of a stream are not stored, because it can be read only once. */
function toBytes({ body }: WireAnswer): Buffer {
  if (typeof body === 'string') return Buffer.from(body)
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0)
}

/**
 * Releases the key of a request whose answer is not stored. If the database is away, retries until the lease would have
 * ended by itself.
 */
export async function releaseKey(db: Knex, { scope, operation, key, holder }: KeyLease): Promise<void> {
  const deadline = performance.now() + leaseMs
  for (;;) {
    try {
      return void (await db('idempotency').where({ scope, operation, key, holder, state: 'running' }).delete())
    } catch (cause) {
      if (performance.now() > deadline) throw cause
      await sleep(releaseRetryDelayMs, undefined, { ref: false })
    }
  }
}
