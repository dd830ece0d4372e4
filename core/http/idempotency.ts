import { createHash } from 'node:crypto'
import type { Knex } from 'knex'
import type { Logger } from 'pino'
import { v4 } from 'uuid'
import type { Caller } from '../kernel/caller.ts'
import { problem } from '../kernel/problem.ts'
import type { Written } from './present.ts'

/** One request's hold on its key. */
export interface Claim {
  scope: string
  operation: string
  key: string
  holder: string
}

interface Row {
  request_hash: Buffer
  state: 'running' | 'done'
  status: number | null
  headers: Record<string, string> | null
  body: Buffer | null
}

/** How long a key is remembered, how long a dead request holds it, and how often a living one says so, in milliseconds. */
const keptFor = '30 days'
const leasedFor = '60 seconds'
const renewedEvery = 20_000

/** Answers that are not kept: the same request may fare better next time. */
const notStored = new Set([400, 401, 403, 413, 415, 429])
export const isStored = (status: number): boolean => status < 500 && !notStored.has(status)

/** The key of a request, or null where there is none or nobody to keep it for. @throws INVALID_REQUEST for a malformed key */
export function keyOf(header: string | string[] | undefined, caller: Caller): { key: string; scope: string } | null {
  if (header === undefined) return null
  if (typeof header !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(header)) {
    throw problem('INVALID_REQUEST', 'Idempotency-Key takes 1 to 255 printable ASCII characters.', {
      path: 'Idempotency-Key',
    })
  }
  const scope = scopeOf(caller)
  return scope === null ? null : { key: header, scope }
}

function scopeOf(caller: Caller): string | null {
  if (caller.kind === 'endUser') return `user:${caller.application}:${caller.user}`
  if (caller.kind === 'anonymous' || caller.organization === null) return null
  return `organization:${caller.organization}`
}

/** What "the same request" means: its target and its bytes. */
export function requestHash(target: string, body: Buffer): Buffer {
  return createHash('sha256').update(target).update('\n').update(body).digest()
}

/**
 * Takes hold of the key, or answers what the first request with it answered. Committed before the work begins, so that
 * no second process starts the same work. @throws IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_IN_PROGRESS
 */
export async function claimKey(db: Knex, claim: Omit<Claim, 'holder'>, hash: Buffer): Promise<Claim | Written> {
  const mine = { ...claim, holder: v4() }
  const taken = await db.raw<{ rowCount: number }>(
    `
    insert into idempotency (scope, operation, key, request_hash, state, holder, lease_until, expires_at)
    values (:scope, :operation, :key, :hash, 'running', :holder, now() + interval '${leasedFor}', now() + interval '${keptFor}')
    on conflict (scope, operation, key) do update set
      request_hash = excluded.request_hash, state = 'running', holder = excluded.holder, lease_until = excluded.lease_until,
      expires_at = excluded.expires_at, status = null, headers = null, body = null
    where idempotency.expires_at < now()
      or (idempotency.state = 'running' and idempotency.lease_until < now() and idempotency.request_hash = excluded.request_hash)`,
    { ...mine, hash },
  )
  return taken.rowCount === 1 ? mine : replay(db, mine, hash)
}

async function replay(db: Knex, { scope, operation, key }: Claim, hash: Buffer): Promise<Written> {
  const row: Row | undefined = await db('idempotency')
    .where({ scope, operation, key })
    .first('request_hash', 'state', 'status', 'headers', 'body')
  if (row && !row.request_hash.equals(hash)) {
    throw problem('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was used with another request.', {
      path: 'Idempotency-Key',
    })
  }
  if (row?.state !== 'done' || row.status === null) {
    throw problem('IDEMPOTENCY_IN_PROGRESS', 'The first request with this Idempotency-Key is still running.', {
      headers: { 'Retry-After': '1' },
    })
  }
  return {
    status: row.status,
    headers: { ...row.headers, 'Idempotency-Replayed': 'true' },
    body: row.body ?? Buffer.alloc(0),
  }
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

/** Keeps the answer, in the transaction of the work where there is one. @returns false when another request took over meanwhile */
export async function storeAnswer(
  trx: Knex,
  { scope, operation, key, holder }: Claim,
  written: Written,
): Promise<boolean> {
  const body =
    typeof written.body === 'string'
      ? Buffer.from(written.body)
      : Buffer.isBuffer(written.body)
        ? written.body
        : Buffer.alloc(0)
  const { 'Set-Cookie': _secret, ...headers } = written.headers
  const stored = await trx('idempotency')
    .where({ scope, operation, key, holder, state: 'running' })
    .update({ state: 'done', status: written.status, headers: JSON.stringify(headers), body })
  return stored === 1
}

/** Frees the key of a request whose answer is not kept. */
export async function releaseKey(db: Knex, { scope, operation, key, holder }: Claim): Promise<void> {
  await db('idempotency').where({ scope, operation, key, holder, state: 'running' }).delete()
}
