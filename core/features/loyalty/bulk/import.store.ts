import type { Knex } from 'knex'
import type { Network } from '../../../chains/networks.ts'
import type { WriterOptions } from '../../../kernel/ports/record-sink.ts'
import { ProblemError } from '../../../kernel/problem.ts'
import type { Context } from '../../../kernel/work.ts'
import { findAccountsByContacts, listNewcomers } from '../../accounts/index.ts'
import {
  giveAll,
  listContacts,
  type AssignmentContent,
  type DuplicateRule,
  type GivingOutcome,
  type SeenContacts,
} from '../assignments/index.ts'
import { toGiftIssues, type SliceResult } from './import.results.ts'

/** A valid row. */
export interface GiftRow {
  line: number
  body: unknown
  content: AssignmentContent
  network: Network
}

/** The rows of a slice on one network. */
interface RowsOfNetwork extends WriterOptions {
  network: Network
  rows: readonly GiftRow[]
  result: SliceResult
}

const rules: Readonly<Record<WriterOptions['onDuplicate'], DuplicateRule>> = {
  skip: 'skip',
  update: 'add',
  fail: 'refuse',
}

/** Stores rows of one network, or finds out what would become of them on a dry run. */
export async function giveRows(trx: Knex.Transaction, context: Context, options: RowsOfNetwork): Promise<void> {
  if (!options.dryRun) return giveInParts(trx, context, options)
  const { rows, seenKeys } = options
  const found = await seenKeys.find(
    trx,
    rows.flatMap((row) => kinds.flatMap((kind) => listKeys(kind, row))),
  )
  const contacts = (kind: Kind) => new Set(rows.flatMap((row) => listSeen(kind, row, found)))
  const outcomes = await give(trx, context, {
    ...options,
    seen: { pending: contacts('pending'), given: contacts('given') },
  })
  await seenKeys.add(
    trx,
    rows.flatMap((row, at) => {
      const outcome = outcomes[at]
      if (outcome?.status !== 'created' && outcome?.status !== 'updated') return []
      return listKeys(outcome.isGiven ? 'given' : 'pending', row)
    }),
  )
  count(options, outcomes)
}

const kinds = ['pending', 'given'] as const
type Kind = (typeof kinds)[number]

const formatKey = (kind: Kind, network: Network, contact: string) => `${kind} ${network} ${contact}`

const listKeys = (kind: Kind, { network, content }: GiftRow): string[] =>
  listContacts(content).map((contact) => formatKey(kind, network, contact))

const listSeen = (kind: Kind, { network, content }: GiftRow, found: ReadonlySet<string>): string[] =>
  listContacts(content).filter((contact) => found.has(formatKey(kind, network, contact)))

const give = (
  trx: Knex,
  context: Context,
  { organization, application, network, rows, onDuplicate, seen }: RowsOfNetwork & { seen?: SeenContacts },
): Promise<GivingOutcome[]> =>
  giveAll(
    trx,
    context,
    { organization, application, network, rule: rules[onDuplicate], ...(seen && { seen }) },
    rows.map(({ content }) => content),
  )

/**
 * Stores rows together, or divides them until those that cannot be stored fail alone.
 * @param mayNeedWallets false if none of them needs a wallet that was not counted yet
 */
async function giveInParts(
  trx: Knex.Transaction,
  context: Context,
  options: RowsOfNetwork,
  mayNeedWallets = true,
): Promise<void> {
  const { rows } = options
  try {
    count(options, await trx.transaction((savepoint) => give(savepoint, context, options)))
  } catch (cause) {
    if (!isRowError(cause)) throw cause
    if (mayNeedWallets && isOverWallets(cause) && rows.length > 1) return giveWithinLimit(trx, context, options)
    const [first] = rows
    if (rows.length === 1 && first) {
      const problem = cause instanceof ProblemError ? cause : null
      if (!problem) context.log.warn({ err: cause, import: options.job, line: first.line }, 'a row could not be stored')
      options.result.refuse(first.line, problem ? toGiftIssues(problem, first.body) : [unstorableIssue])
      return
    }
    const half = Math.ceil(rows.length / 2)
    await giveInParts(trx, context, { ...options, rows: rows.slice(0, half) }, mayNeedWallets)
    await giveInParts(trx, context, { ...options, rows: rows.slice(half) }, mayNeedWallets)
  }
}

/**
 * Stores rows past the limit of wallets: first all that need none, then those of accounts that are none yet, until one is
 * refused; the others are refused with it. To divide them like other rows would cost a refusal for each, while accounts of
 * the application wait.
 */
async function giveWithinLimit(trx: Knex.Transaction, context: Context, options: RowsOfNetwork): Promise<void> {
  const newcomers = await listNewContacts(trx, options)
  const isNew = ({ content }: GiftRow) => listContacts(content).some((contact) => newcomers.has(contact))
  const known = options.rows.filter((row) => !isNew(row))
  if (known.length > 0) await giveInParts(trx, context, { ...options, rows: known }, false)
  let limit: ProblemError | undefined
  const giveNew = async (rows: readonly GiftRow[]): Promise<void> => {
    const problem = limit
    if (problem) return rows.forEach(({ line, body }) => options.result.refuse(line, toGiftIssues(problem, body)))
    try {
      count({ ...options, rows }, await trx.transaction((savepoint) => give(savepoint, context, { ...options, rows })))
    } catch (cause) {
      if (!isOverWallets(cause)) return giveInParts(trx, context, { ...options, rows })
      if (rows.length === 1) limit = cause
      const half = Math.ceil(rows.length / 2)
      await giveNew(rows.slice(0, half))
      if (rows.length > 1) await giveNew(rows.slice(half))
    }
  }
  const fresh = options.rows.filter(isNew)
  if (fresh.length > 0) await giveNew(fresh)
}

/** Lists the contacts of the accounts among the rows that are no wallets yet. */
async function listNewContacts(trx: Knex, { application, network, rows }: RowsOfNetwork): Promise<ReadonlySet<string>> {
  const contacts = rows.map(({ content }) => ({ email: content.email, phoneNumber: content.phoneNumber }))
  const accounts = await findAccountsByContacts(trx, { application, network }, { contacts, isHeld: false })
  const newcomers = new Set(
    await listNewcomers(
      trx,
      accounts.map(({ id }) => id),
    ),
  )
  return new Set(
    accounts
      .filter(({ id }) => newcomers.has(id))
      .flatMap(({ email, phone_number: phoneNumber }) => listContacts({ email, phoneNumber })),
  )
}

const isOverWallets = (cause: unknown): cause is ProblemError =>
  cause instanceof ProblemError && cause.code === 'QUOTA_EXCEEDED' && cause.extra['meter'] === 'wallets'

const unstorableIssue = { path: '', code: 'not_storable', message: 'The row cannot be stored as it is.', value: null }

/**
 * Checks whether a row is to blame: it asks for more than an account can have, its account is one more than the plan
 * allows in a month, or the database refuses its content. An application that was deleted meanwhile (23503) concerns all rows. Source: PostgreSQL, appendix A.
 */
function isRowError(cause: unknown): boolean {
  if (cause instanceof ProblemError) return cause.code === 'VALIDATION_FAILED' || cause.code === 'QUOTA_EXCEEDED'
  const { code } = cause as { code?: unknown }
  return typeof code === 'string' && /^2[23]...$/.test(code) && code !== '23503'
}

function count({ rows, result }: RowsOfNetwork, outcomes: readonly GivingOutcome[]): void {
  rows.forEach(({ line, body }, at) => {
    const outcome = outcomes[at]
    if (outcome?.status === 'refused') result.refuse(line, toGiftIssues(outcome.problem, body))
    else if (outcome) result[outcome.status]++
  })
}
