import type { OrganizationErasure } from '../area.ts'
import type { Knex } from 'knex'

/** Number of segments that are ended, or removed, in one transaction each. */
const batchSize = 100

/**
 * Ends the segments of months that are over, also of organizations where nothing happens any more.
 * @param at the time that counts as now; by default the clock of the database
 */
export async function endSegments(db: Knex, at: Date | null = null): Promise<void> {
  for (;;) {
    const { rowCount } = await db.raw<{ rowCount: number }>(
      `with ended as (
         update audit_chains set is_open = false where organization in (
           select organization from audit_chains
           where is_open and month < to_char(coalesce(?::timestamptz, now()) at time zone 'UTC', 'YYYY-MM')
           order by organization limit ${batchSize} for update skip locked)
         returning organization, month, start, head, length)
       insert into audit_segments (organization, month, start, head, length)
         select organization, month, start, head, length from ended`,
      [at] as Knex.RawBinding[],
    )
    if (rowCount < batchSize) return
  }
}

/**
 * Removes whole segments that ended more than 400 days ago. The hash that a removed segment ended with stays as the base
 * of the chain, which the next segment begins with.
 */
export async function removeOldSegments(db: Knex): Promise<void> {
  for (;;) {
    const removed = await db.transaction(async (trx) => {
      const { rows } = await trx.raw<{ rows: { organization: string; month: string; head: string }[] }>(
        `select s.organization, s.month, s.head from audit_segments s join audit_chains c on c.organization = s.organization
         where s.month < to_char((now() - interval '400 days') at time zone 'UTC', 'YYYY-MM')
           and audit_month_is_over(s.month) and not exists (
           select from audit_segments older where older.organization = s.organization and older.month < s.month)
         order by s.month, s.organization limit 1 for update of c skip locked`,
      )
      const [oldest] = rows
      if (!oldest) return false
      const { organization, month, head } = oldest
      await trx('audit_trail').where({ organization, month }).delete()
      await trx('audit_segments').where({ organization, month }).delete()
      await trx('audit_chains').where({ organization }).update({ base: head })
      return true
    })
    if (!removed) return
  }
}

/** Erases what names persons in the trail of a deleted organization. The chain has only hashes of it and still verifies. */
export const eraseTrail: OrganizationErasure = ({ organization, limit, runStep }) =>
  runStep(async (trx) => {
    const { rowCount } = await trx.raw<{ rowCount: number }>(
      `update audit_trail set actor_id = null, actor_label = null, address = null, request_id = null, actor_salt = null,
         target_label = null, target_salt = null
       where id in (
         select id from audit_trail
         where organization = ? and (actor_salt is not null or target_salt is not null) limit ?)`,
      [organization, limit],
    )
    return rowCount
  })
