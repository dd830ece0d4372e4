import type { Knex } from 'knex'
import { newId } from '../../database/model.ts'
import type { TrailAct } from '../../kernel/ports/trail.ts'
import { createSalt, hashActor, hashEntry, hashTargetLabel } from './trail.hashes.ts'

/** Who did something, and in which request. */
export interface TrailActor {
  kind: 'member' | 'key' | 'operator'
  id: string | null
  /** The e-mail address of a member, the name of a key, the account of an operator on the machine. */
  label: string | null
  address: string | null
  requestId: string | null
}

/** An act for the trail of an organization. */
export interface NewTrailEntry extends TrailAct {
  organization: string
  actor: TrailActor
}

interface ChainTip {
  organization: string
  month: string | null
  is_open: boolean
  start: string
  head: string
  length: number
  now: Date
}

/**
 * Locks the ends of the chains in the order of their organizations, so that two transactions never wait for each other,
 * and reads the time once the lock is held.
 */
const lockSql = `
  insert into audit_chains as kept (organization)
    select organization from unnest(?::uuid[]) organization order by organization
    on conflict (organization) do update set organization = excluded.organization
  returning organization, month, is_open, start, head, length,
    date_trunc('milliseconds', coalesce(?::timestamptz, clock_timestamp())) as now`

/**
 * Appends an entry to the trails of organizations, at most one to each, in the transaction of the act. Until it commits,
 * other acts of the same organizations wait, so it is the last statement of the transaction.
 * @param at the time that counts as now; by default the clock of the database, because that of a process may be wrong
 */
export async function appendToTrail(
  trx: Knex,
  entries: readonly NewTrailEntry[],
  at: Date | null = null,
): Promise<void> {
  if (entries.length === 0) return
  const { rows: tips } = await trx.raw<{ rows: ChainTip[] }>(lockSql, [
    entries.map(({ organization }) => organization),
    at,
  ] as Knex.RawBinding[])
  await closeSegments(trx, tips)
  const rows = tips.map((tip) => {
    const entry = entries.find(({ organization }) => organization === tip.organization)
    if (!entry) throw new Error(`There is no entry for ${tip.organization}`)
    return createRow(tip, entry)
  })
  await trx('audit_trail').insert(rows)
  await trx.raw(
    `update audit_chains kept set month = tip.month, is_open = true, head = tip.hash, length = tip.place,
       start = case when tip.place = 1 then tip.previous else kept.start end
     from jsonb_to_recordset(?::jsonb) as tip (organization uuid, month text, place int, previous text, hash text)
     where kept.organization = tip.organization`,
    [
      JSON.stringify(
        rows.map(({ organization, month, place, previous, hash }) => ({ organization, month, place, previous, hash })),
      ),
    ],
  )
}

/** Ends the segments that the next entry no longer belongs to. */
async function closeSegments(trx: Knex, tips: readonly ChainTip[]): Promise<void> {
  const ended = tips.flatMap((tip) => {
    const { organization, month, is_open, start, head, length } = tip
    return is_open && month !== null && month < formatMonth(tip.now)
      ? [{ organization, month, start, head, length }]
      : []
  })
  if (ended.length > 0) await trx('audit_segments').insert(ended)
}

/** Formats the month of a time in UTC, as `2030-01`. */
const formatMonth = (time: Date): string => time.toISOString().slice(0, 7)

const getNextMonth = (month: string): string => {
  const [year = 0, number = 0] = month.split('-').map(Number)
  return formatMonth(new Date(Date.UTC(year, number)))
}

/** Months never go back when a clock does: an ended segment gets no more entries. */
function choosePlace({ month, is_open, length, now }: ChainTip): { month: string; place: number } {
  const present = formatMonth(now)
  if (month === null) return { month: present, place: 1 }
  if (is_open) return month < present ? { month: present, place: 1 } : { month, place: length + 1 }
  return { month: month < present ? present : getNextMonth(month), place: 1 }
}

function createRow(tip: ChainTip, { organization, actor, action, target, change = null }: NewTrailEntry) {
  const { month, place } = choosePlace(tip)
  const { kind: actorKind, ...values } = actor
  const label = target.label ?? null
  const [actorSalt, targetSalt] = [createSalt(), createSalt()]
  const entry = {
    id: newId(),
    organization,
    month,
    at: tip.now.toISOString(),
    action,
    actorKind,
    actorHash: hashActor(actorSalt, values),
    targetKind: target.kind,
    targetId: target.id,
    targetHash: hashTargetLabel(targetSalt, label),
    change,
  }
  return {
    id: entry.id,
    organization,
    month,
    place,
    at: entry.at,
    action,
    actor_kind: actorKind,
    actor_id: values.id,
    actor_label: values.label,
    address: values.address,
    request_id: values.requestId,
    actor_salt: actorSalt,
    actor_hash: entry.actorHash,
    target_kind: target.kind,
    target_id: target.id,
    target_label: label,
    target_salt: targetSalt,
    target_hash: entry.targetHash,
    change,
    previous: tip.head,
    hash: hashEntry(tip.head, entry),
  }
}
