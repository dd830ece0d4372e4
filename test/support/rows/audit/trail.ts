import type { Knex } from 'knex'
import { hashEntry } from '../../../../core/features/audit/trail.hashes.ts'

/** An entry of the audit trail as it is stored. */
export interface StoredTrailEntry {
  id: string
  month: string
  place: number
  action: string
  actor_kind: string
  actor_id: string | null
  actor_label: string | null
  actor_salt: string | null
  address: string | null
  request_id: string | null
  target_kind: string
  target_id: string
  target_label: string | null
  change: string | null
  previous: string
  hash: string
}

/** Lists the trail of an organization in the order of its chain. */
export async function listStoredTrail(db: Knex, organization: string): Promise<StoredTrailEntry[]> {
  return db<StoredTrailEntry & { organization: string }>('audit_trail')
    .where({ organization })
    .orderBy(['month', 'place'])
}

/** Lists the months of the segments that have ended, and the hash that the oldest one begins with. */
export async function readSegments(db: Knex, organization: string): Promise<{ base: string; months: string[] }> {
  const months = await db('audit_segments').where({ organization }).orderBy('month').pluck<string[]>('month')
  const chain = await db('audit_chains').where({ organization }).first<{ base: string } | undefined>('base')
  return { base: chain?.base ?? '', months }
}

/** Changes the trail as the owner of the database can: without the triggers and rights that refuse it to everybody else. */
async function tamper(db: Knex, change: (trx: Knex) => Promise<unknown>): Promise<void> {
  await db.transaction(async (trx) => {
    await trx.raw(`
      alter table audit_trail disable trigger user;
      alter table audit_segments disable trigger user;
      grant update on audit_trail, audit_segments to current_user`)
    await change(trx)
    await trx.raw(`
      alter table audit_trail enable trigger user;
      alter table audit_segments enable trigger user;
      revoke update on audit_trail, audit_segments from current_user;
      grant update (actor_id, actor_label, address, request_id, actor_salt, target_label, target_salt) on audit_trail
        to current_user`)
  })
}

export const changeEntry = (db: Knex, id: string, values: Partial<StoredTrailEntry>): Promise<void> =>
  tamper(db, (trx) => trx('audit_trail').where({ id }).update(values))

export const removeEntry = (db: Knex, id: string): Promise<void> =>
  tamper(db, (trx) => trx('audit_trail').where({ id }).delete())

/** Inserts a copy of an entry after it, under this id, and moves what follows by one place. */
export const insertCopy = (db: Knex, organization: string, { id, copy }: { id: string; copy: string }): Promise<void> =>
  tamper(db, async (trx) => {
    const original = await trx<StoredTrailEntry>('audit_trail').where({ id }).first()
    if (!original) throw new Error(`There is no entry ${id}`)
    const { month, place } = original
    const later = () => trx('audit_trail').where({ organization, month }).where('place', '>', place)
    await later().update({ place: trx.raw('place + 1000') })
    await later().update({ place: trx.raw('place - 999') })
    await trx('audit_trail').insert({ ...original, id: copy, place: place + 1, previous: original.hash, hash: copy })
  })

/** Lets two entries change their places. */
export const swapEntries = (db: Knex, one: StoredTrailEntry, other: StoredTrailEntry): Promise<void> =>
  tamper(db, async (trx) => {
    await trx('audit_trail').where({ id: one.id }).update({ place: -1 })
    await trx('audit_trail').where({ id: other.id }).update({ place: one.place })
    await trx('audit_trail').where({ id: one.id }).update({ place: other.place })
  })

/** Removes a segment that has ended, with its entries. */
export const removeSegment = (db: Knex, organization: string, month: string): Promise<void> =>
  tamper(db, async (trx) => {
    await trx('audit_trail').where({ organization, month }).delete()
    await trx('audit_segments').where({ organization, month }).delete()
  })

/** Tries what the database refuses to everybody but a superuser. @returns what it said to each */
export async function rewriteTrail(db: Knex, organization: string): Promise<string[]> {
  const own = () => db('audit_trail').where({ organization })
  const attempts = [
    own().update({ action: 'session.end' }),
    own().update({ actor_label: 'nobody' }),
    own().update({ target_label: 'nothing' }),
    own().delete(),
    db('audit_segments').where({ organization }).update({ head: '' }),
    db('audit_segments').where({ organization }).delete(),
    db('audit_chains').where({ organization }).delete(),
    db.raw('truncate audit_trail'),
  ]
  const results = await Promise.allSettled(attempts)
  return results.map((result) => (result.status === 'rejected' ? String(result.reason) : 'done'))
}

/**
 * Changes the action of the last entry of a month that is over, and writes all hashes that follow from it anew, as somebody
 * does who knows how they are made.
 */
export const rewriteSegment = (db: Knex, organization: string): Promise<void> =>
  tamper(db, async (trx) => {
    const row = await trx<
      StoredTrailEntry & { organization: string; at: Date; actor_hash: string; target_hash: string }
    >('audit_trail')
      .where({ organization })
      .orderBy('place', 'desc')
      .first()
    if (!row) throw new Error(`There is no entry of ${organization}`)
    const action = 'session.end'
    const hash = hashEntry(row.previous, {
      id: row.id,
      organization,
      month: row.month,
      at: row.at.toISOString(),
      action,
      actorKind: row.actor_kind,
      actorHash: row.actor_hash,
      targetKind: row.target_kind,
      targetId: row.target_id,
      targetHash: row.target_hash,
      change: row.change,
    })
    await trx('audit_trail').where({ id: row.id }).update({ action, hash })
    await trx('audit_segments').where({ organization, month: row.month }).update({ head: hash })
    await trx('audit_chains').where({ organization }).update({ head: hash })
  })

/** Gives an anchored root another value, which no chain has. */
export const changeRoot = async (db: Knex, root: string): Promise<void> => {
  await db('audit_anchors')
    .where({ root })
    .update({ root: `0x${'1'.repeat(64)}` })
}
