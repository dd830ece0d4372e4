import type { Knex } from 'knex'
import type { Network } from '../../chains/networks.ts'
import { AnchoredRoots, leadsToRoot, type AnchorTimeReader } from './trail.anchors.ts'
import { hashActor, hashEntry, hashTargetLabel } from './trail.hashes.ts'

/** Something in the trail that is not as it was written. */
interface TrailDifference {
  /**
   * `changed`: an entry has other values than it was written with. `removed`: entries are missing before this one, or at
   * the end of the segment. `inserted`: an entry that was never written. `reordered`: an entry stands at another place.
   * `anchor`: the segment is another than the one that was anchored, or its root is not on the chain.
   */
  what: 'changed' | 'removed' | 'inserted' | 'reordered' | 'anchor'
  organization: string
  /** The segment. */
  month: string
  /** The entry; null at the end of a segment, or if a whole segment is missing. */
  entry: string | null
}

export interface TrailCheck {
  /** The number of entries that were hashed again. */
  checked: number
  differences: TrailDifference[]
}

interface Segment {
  month: string
  start: string
  head: string
  length: number
}

/** A segment whose root is final on a chain. */
interface AnchoredSegment {
  month: string
  network: Network
  root: string
}

interface TrailRow {
  id: string
  organization: string
  month: string
  place: number
  at: Date
  action: string
  actor_kind: string
  actor_id: string | null
  actor_label: string | null
  address: string | null
  request_id: string | null
  actor_salt: string | null
  actor_hash: string
  target_kind: string
  target_id: string
  target_label: string | null
  target_salt: string | null
  target_hash: string
  change: string | null
  previous: string
  hash: string
}

/** Number of entries that are in memory at a time. */
const chunkSize = 1_000
/** Maximum number of differences that are told. */
const maxDifferences = 1_000
const lowestId = '00000000-0000-0000-0000-000000000000'

interface TrailCheckOptions {
  /** Only the trail of this organization. */
  organization?: string | undefined
  /** Asks the chains for the roots. Without it, roots are compared with what is stored of them. */
  readAnchorTime?: AnchorTimeReader | undefined
}

/**
 * Walks the chains of hashes and compares each entry with its hash and with the entry before it, and each segment with the
 * root that was anchored for it. Each organization is read as it is at one moment, so acts that are recorded meanwhile make
 * no difference.
 */
export async function verifyTrail(
  db: Knex,
  { organization, readAnchorTime }: TrailCheckOptions = {},
): Promise<TrailCheck> {
  const check: TrailCheck = { checked: 0, differences: [] }
  const roots = new AnchoredRoots(readAnchorTime)
  const verifyOne = async (id: string) => {
    const anchored = await verifyOrganization(db, id, check)
    for (const { month, network, root } of anchored)
      if (!(await roots.has(network, root)))
        noteDifference(check, { what: 'anchor', organization: id, month, entry: null })
  }
  if (organization !== undefined) {
    await verifyOne(organization)
    return check
  }
  for (let after: string | null = lowestId; ;) {
    after = await findNextOrganization(db, after)
    if (after === null) return check
    await verifyOne(after)
  }
}

function noteDifference({ differences }: TrailCheck, difference: TrailDifference): void {
  const { what, organization, month, entry } = difference
  const isKnown = differences.some(
    (one) =>
      one.what === what
      && one.entry === entry
      && one.month === month
      && (entry !== null || (what === 'anchor' && one.organization === organization)),
  )
  if (!isKnown && differences.length < maxDifferences) differences.push(difference)
}

async function findNextOrganization(db: Knex, after: string): Promise<string | null> {
  const { rows } = await db.raw<{ rows: { organization: string | null }[] }>(
    `select least(
       (select organization from audit_chains where organization > ? order by organization limit 1),
       (select organization from audit_trail where organization > ? order by organization limit 1)) as organization`,
    [after, after],
  )
  return rows[0]?.organization ?? null
}

/** @returns the segments whose roots are final */
const verifyOrganization = (db: Knex, organization: string, check: TrailCheck): Promise<AnchoredSegment[]> =>
  db.transaction(
    async (trx) => {
      const walk = new TrailWalk(trx, organization, check)
      return walk.run()
    },
    { readOnly: true, isolationLevel: 'repeatable read' },
  )

/** The walk over the trail of one organization. */
class TrailWalk {
  readonly #trx: Knex
  readonly #organization: string
  readonly #check: TrailCheck

  constructor(trx: Knex, organization: string, check: TrailCheck) {
    this.#trx = trx
    this.#organization = organization
    this.#check = check
  }

  /** @returns the segments whose roots are final */
  async run(): Promise<AnchoredSegment[]> {
    const { base, segments } = await this.#readSegments()
    let previous = base
    for (const segment of segments) {
      if (segment.start !== previous) this.#note('removed', segment.month, null)
      await this.#walkSegment(segment)
      previous = segment.head
    }
    await this.#findStrayRows(segments.map(({ month }) => month))
    return this.#compareAnchors(segments)
  }

  /** Compares segments with their roots. @returns those whose roots are final */
  async #compareAnchors(segments: readonly Segment[]): Promise<AnchoredSegment[]> {
    const organization = this.#organization
    const anchored = await this.#trx('audit_segment_anchors as s')
      .join('audit_anchors as a', 'a.id', 's.anchor')
      .where({ organization, status: 'final' })
      .orderBy('month')
      .select<(AnchoredSegment & { proof: Buffer })[]>('s.month', 's.proof', 'a.network', 'a.root')
    for (const { month, proof, root } of anchored) {
      const segment = segments.find((one) => one.month === month)
      if (!segment || !leadsToRoot({ organization, ...segment }, proof, root)) this.#note('anchor', month, null)
    }
    return anchored
  }

  async #readSegments(): Promise<{ base: string; segments: Segment[] }> {
    const organization = this.#organization
    const columns = ['month', 'start', 'head', 'length'] as const
    const ended = await this.#trx('audit_segments')
      .where({ organization })
      .orderBy('month')
      .select<Segment[]>(...columns)
    const chain = await this.#trx('audit_chains')
      .where({ organization })
      .first<(Segment & { base: string; is_open: boolean }) | undefined>('base', 'is_open', ...columns)
    if (!chain) return { base: ended[0]?.start ?? '', segments: ended }
    const segments = chain.is_open ? [...ended, chain] : ended
    // An ended segment that is missing at the end shows in what the chain remembers of it.
    if (!chain.is_open && chain.head !== (ended.at(-1)?.head ?? chain.base))
      this.#note('removed', chain.month ?? '', null)
    return { base: chain.base, segments }
  }

  async #walkSegment(segment: Segment): Promise<void> {
    const { month, start, head } = segment
    let last: TrailRow | null = null
    for await (const row of this.#readRows(month)) {
      this.#check.checked++
      if (!isAsWritten(row)) this.#note('changed', month, row.id)
      const expected = last?.hash ?? start
      if (row.previous !== expected) await this.#explainBreak(row, last, { expected, head })
      last = row
    }
    if ((last?.hash ?? start) !== head) await this.#explainEnd(segment, last)
  }

  /** Says why a segment does not end with the hash that it ended with. */
  async #explainEnd({ month, start, head, length }: Segment, last: TrailRow | null): Promise<void> {
    if (last === null) return this.#note('removed', month, null)
    if (head === start || (await this.#hasRow({ month, hash: head }))) {
      const isFollowed = await this.#hasRow({ month, previous: last.hash })
      return this.#note(isFollowed ? 'reordered' : 'inserted', month, last.id)
    }
    if (last.place < length) return this.#note('removed', month, null)
    this.#note('changed', month, last.id)
  }

  /** Says why an entry does not follow from the one that stands before it. */
  async #explainBreak(
    row: TrailRow,
    before: TrailRow | null,
    { expected, head }: { expected: string; head: string },
  ): Promise<void> {
    const { month, previous } = row
    if (!(await this.#hasRow({ month, hash: previous }))) {
      // Without a gap the entry before this one is there, but with another hash than it had.
      const isChanged = before !== null && row.place === before.place + 1
      return this.#note(isChanged ? 'changed' : 'removed', month, isChanged ? before.id : row.id)
    }
    const isFollowed = expected === head || (await this.#hasRow({ month, previous: expected }))
    if (before !== null && !isFollowed) return this.#note('inserted', month, before.id)
    this.#note('reordered', month, row.id)
  }

  async #hasRow(values: { month: string; hash?: string; previous?: string }): Promise<boolean> {
    const found = await this.#trx('audit_trail')
      .where({ organization: this.#organization, ...values })
      .first('id')
    return found !== undefined
  }

  async *#readRows(month: string): AsyncGenerator<TrailRow> {
    for (let place = -1; ;) {
      const rows: TrailRow[] = await this.#trx<TrailRow>('audit_trail')
        .where({ organization: this.#organization, month })
        .where('place', '>', place)
        .orderBy('place')
        .limit(chunkSize)
      yield* rows
      const last = rows.at(-1)
      if (!last || rows.length < chunkSize) return
      place = last.place
    }
  }

  /** Entries of a month that has no segment. */
  async #findStrayRows(months: readonly string[]): Promise<void> {
    const stray = await this.#trx('audit_trail')
      .where({ organization: this.#organization })
      .whereNotIn('month', months)
      .orderBy(['month', 'place'])
      .limit(maxDifferences)
      .select<{ id: string; month: string }[]>('id', 'month')
    for (const { id, month } of stray) this.#note('inserted', month, id)
  }

  #note(what: TrailDifference['what'], month: string, entry: string | null): void {
    noteDifference(this.#check, { what, organization: this.#organization, month, entry })
  }
}

/** Checks an entry against its own hashes. What was erased has no salt, and leaves only its hash. */
function isAsWritten(row: TrailRow): boolean {
  const actor = { id: row.actor_id, label: row.actor_label, address: row.address, requestId: row.request_id }
  const isActorRight =
    row.actor_salt === null
      ? Object.values(actor).every((value) => value === null)
      : hashActor(row.actor_salt, actor) === row.actor_hash
  const isTargetRight =
    row.target_salt === null
      ? row.target_label === null
      : hashTargetLabel(row.target_salt, row.target_label) === row.target_hash
  const entry = {
    id: row.id,
    organization: row.organization,
    month: row.month,
    at: row.at.toISOString(),
    action: row.action,
    actorKind: row.actor_kind,
    actorHash: row.actor_hash,
    targetKind: row.target_kind,
    targetId: row.target_id,
    targetHash: row.target_hash,
    change: row.change,
  }
  return isActorRight && isTargetRight && hashEntry(row.previous, entry) === row.hash
}
