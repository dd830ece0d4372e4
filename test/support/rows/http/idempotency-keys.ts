import { randomBytes, randomUUID } from 'node:crypto'
import type { Knex } from 'knex'

/** What is stored under an Idempotency-Key: whether its request runs, and what it was answered. */
export interface StoredKey {
  state: 'running' | 'done'
  leaseUntil: Date
  createdAt: Date
  expiresAt: Date
  status: number | null
  headers: Record<string, string> | null
  body: Buffer | null
}

interface StoredKeyRow extends Pick<StoredKey, 'state' | 'status' | 'headers' | 'body'> {
  lease_until: Date
  created_at: Date
  expires_at: Date
}

/** Finds what is stored under a key that only one caller uses. */
export async function findStoredKey(db: Knex, key: string): Promise<StoredKey | undefined> {
  const row = await db('idempotency').where({ key }).first<StoredKeyRow | undefined>()
  if (!row) return undefined
  const { state, status, headers, body, lease_until: leaseUntil, created_at: createdAt, expires_at: expiresAt } = row
  return { state, leaseUntil, createdAt, expiresAt, status, headers, body }
}

/** Reads all that is stored under a key as one text, in which a test looks for a secret. */
export async function readStoredText(db: Knex, key: string): Promise<string> {
  const row = await db('idempotency')
    .where({ key })
    .first<{ text: string } | undefined>(db.raw('idempotency::text as text'))
  if (!row) throw new Error(`Nothing is stored under the key ${key}`)
  return row.text
}

/**
 * Ends the window of a key, for which nobody waits.
 * @param state makes its request one that runs, for another minute, or one that is done
 */
export async function expireStoredKey(db: Knex, key: string, state?: StoredKey['state']): Promise<void> {
  await db('idempotency')
    .where({ key })
    .update({
      expires_at: new Date(0),
      state,
      lease_until: state === 'running' ? db.raw(`now() + interval '1 minute'`) : undefined,
    })
}

/** Ends the lease of a request on its key, as if the request had stood still for a minute. */
export async function endKeyLease(db: Knex, key: string): Promise<void> {
  await db('idempotency')
    .where({ key })
    .update({ lease_until: new Date(0) })
}

/** Leaves a trace beside a key in the transaction of its request: it stays only if the request commits. */
export async function leaveTrace(trx: Knex, key: string): Promise<void> {
  await trx('idempotency').insert({
    scope: 'test',
    operation: 'trace',
    key,
    request_hash: Buffer.alloc(1),
    state: 'done',
    holder: randomUUID(),
    lease_until: new Date(),
    expires_at: new Date(),
  })
}

/** Says whether a request left its trace beside a key. */
export async function hasTrace(db: Knex, key: string): Promise<boolean> {
  return (await db('idempotency').where({ key, operation: 'trace' }).first()) !== undefined
}

const getShare = (organization: string) => `organization:${organization}`

/** Inserts answers with bodies of this size that an organization was given before. */
export async function insertStoredBodies(
  db: Knex,
  { organization, count, bytes }: { organization: string; count: number; bytes: number },
): Promise<void> {
  const rows = Array.from({ length: count }, (_, at) => ({
    scope: `${getShare(organization)}:key:filler`,
    share: getShare(organization),
    operation: 'filler_v1',
    key: `filler ${at}`,
    request_hash: randomBytes(32),
    state: 'done',
    holder: randomUUID(),
    lease_until: db.fn.now(),
    expires_at: db.raw(`now() + interval '1 day'`),
    status: 200,
    headers: '{}',
    body: Buffer.alloc(bytes),
    body_bytes: bytes,
  }))
  await db.batchInsert('idempotency', rows, 40)
}

/** Sums up the bytes of an organization's stored bodies: those that are there, and those that are counted. */
export async function sumStoredBytes(db: Knex, organization: string): Promise<{ stored: number; counted: number }> {
  const { rows } = await db.raw<{ rows: [{ stored: number; counted: number }] }>(
    `select coalesce(sum(octet_length(body)), 0)::int as stored, coalesce(sum(body_bytes), 0)::int as counted
     from idempotency where share = ?`,
    [getShare(organization)],
  )
  return rows[0]
}
