import type { Knex } from 'knex'
import { lockBalances } from './balances.ts'
import { expiryKind } from './due.ts'
import { giveBack, takeBack } from './entries.ts'
import { addKnown, assertAmounts, createItems, listResults, type KnownResult } from './items.ts'
import type { NewReversal, PostingResult } from './types.ts'

/** More of an entry was to be taken back than is left of it. */
export class ReversalLimitError extends Error {
  override name = 'ReversalLimitError'
  readonly entry: string
  /** What can still be taken back of the entry. */
  readonly left: bigint
  constructor(entry: string, left: bigint, amount: bigint) {
    super(`Of the entry ${entry}, ${amount} were to be taken back, and only ${left} are left`)
    this.entry = entry
    this.left = left
  }
}

interface ReversedRow {
  entry: string
  reverses: string | null
  amount: string
  taken_back: string
}

/** What entries gave, signed, and how much of it was taken back. */
const reversedSql = `select e.id as entry, e.reverses, p.amount::text, coalesce((
    select sum(abs(r.amount)) from ledger_entries t join ledger_postings r on r.entry = t.id and r.place = 0
    where t.reverses = e.id), 0)::text as taken_back
  from ledger_entries e join ledger_postings p on p.entry = e.id and p.place = 0
  where e.id = any(?::uuid[])`

/** An entry that is taken back, and what is left of it. */
interface Reversible {
  isCredit: boolean
  left: bigint
}

async function readReversible(trx: Knex, entries: readonly string[]): Promise<Map<string, Reversible>> {
  const { rows } = await trx.raw<{ rows: ReversedRow[] }>(reversedSql, [entries as string[]])
  return new Map(
    rows.map(({ entry, reverses, amount, taken_back: takenBack }) => {
      if (reverses !== null) throw new TypeError(`The entry ${entry} takes something back itself`)
      const given = BigInt(amount)
      return [entry, { isCredit: given > 0n, left: (given < 0n ? -given : given) - BigInt(takenBack) }]
    }),
  )
}

/**
 * Takes entries back, each in whole or in part, by entries of their own. A credit is taken out of its own lot first,
 * then of the others of its owner; what these do not have becomes debt. What a debit took goes back to the lots it came
 * from, after the debt of its owner; a lot that has expired meanwhile is due again, see `expireDueLots`. An operation
 * that was posted before is `known` and changes nothing. Lots that are due have to be worked off before.
 * @returns one result an item, in their order, with what is left of its entry
 * @throws ReversalLimitError beyond what is left of an entry; the transaction must be rolled back
 * @throws TypeError for an entry that takes back another one
 */
export async function reverseEntries(
  trx: Knex,
  reversals: readonly NewReversal[],
): Promise<(KnownResult & { left: bigint })[]> {
  if (reversals.length === 0) return []
  assertAmounts(reversals)
  await lockBalances(trx, reversals)
  const results = new Map<string, PostingResult>()
  await addKnown(trx, results, reversals)
  const reversible = await readReversible(trx, [...new Set(reversals.map(({ entry }) => entry))])
  const fresh = new Map(reversals.filter(({ operation }) => !results.has(operation)).map((one) => [one.operation, one]))
  for (const one of fresh.values()) takeOff(one, reversible)
  for (let rest = [...fresh.values()]; rest.length > 0; rest = rest.filter(({ operation }) => !results.has(operation)))
    for (const result of await postRound(trx, rest, reversible)) results.set(result.operation, result)
  return listResults(results, reversals).map((result, at) => ({
    ...(result as KnownResult),
    left: reversible.get(reversals[at]!.entry)!.left,
  }))
}

function takeOff({ entry, amount }: NewReversal, reversible: ReadonlyMap<string, Reversible>): void {
  const found = reversible.get(entry)
  if (!found) throw new TypeError(`There is no entry ${entry}`)
  if (amount > found.left) throw new ReversalLimitError(entry, found.left, amount)
  found.left -= amount
}

/** Posts one reversal of each owner, all that take or all that give. */
async function postRound(
  trx: Knex,
  rest: readonly NewReversal[],
  reversible: ReadonlyMap<string, Reversible>,
): Promise<KnownResult[]> {
  const isTaking = ({ entry }: NewReversal) => reversible.get(entry)!.isCredit
  const takes = isTaking(rest[0]!)
  const alike = rest.filter((one) => isTaking(one) === takes)
  const round = [...new Map(alike.toReversed().map((one) => [`${one.book.id} ${one.owner}`, one])).values()]
  const items = createItems(round.map(({ entry, ...one }) => ({ ...one, reverses: entry })))
  return takes ? takeBack(trx, items) : giveBack(trx, items)
}

/** What expired of the lot of an entry, as far as that has not been taken back. */
export interface ExpiredPart {
  /** The entry that credited the lot. */
  entry: string
  /** What remains of the lot. */
  remaining: bigint
  /** The entry by which it expired, and how much of that stands still. */
  expiry: string
  amount: bigint
}

const expiredPartsSql = `select * from (
    select l.entry, l.remaining::text, x.id as expiry, d.amount - coalesce((
      select sum(r.amount) from ledger_entries t join ledger_postings r on r.entry = t.id and r.place = 0
      where t.reverses = x.id), 0) as amount
    from ledger_lots l join ledger_draws d on d.lot = l.id and d.amount > 0
    join ledger_entries x on x.id = d.entry and x.kind = '${expiryKind}'
    where l.entry = any(?::uuid[])) parts
  where amount > 0 order by expiry`

/**
 * Lists what expired of the lots of entries. To take back such an entry, its expiry is taken back first: else its owner
 * would lose the same points twice. The balances of the owners have to be locked.
 */
export async function listExpiredParts(trx: Knex, entries: readonly string[]): Promise<ExpiredPart[]> {
  type Row = Record<keyof ExpiredPart, string>
  const { rows } = await trx.raw<{ rows: Row[] }>(expiredPartsSql, [entries as string[]])
  return rows.map(({ entry, remaining, expiry, amount }) => ({
    entry,
    remaining: BigInt(remaining),
    expiry,
    amount: BigInt(amount),
  }))
}
