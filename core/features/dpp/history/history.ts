import type { Knex } from 'knex'
import { raw } from 'objection'
import type { Network } from '../../../chains/networks.ts'
import { createModelSource, listPage, type Columns } from '../../../database/list/index.ts'
import { Model } from '../../../database/model.ts'
import type { OrganizationCaller } from '../../../kernel/caller.ts'
import { mapPageResult, type PageRequest, type PageResult } from '../../../kernel/page.ts'
import type { Work } from '../../../kernel/work.ts'
import { passportEventsSql } from '../../events/index.ts'
import { passportAnchorsSql, passportVersionsSql } from '../certificates/index.ts'
import { readOwnPassport } from '../passports/index.ts'
import { passportTransfersSql } from '../tokens/index.ts'
import type { HistoryEntry } from './history.schema.ts'

/** The name of the joined sources in the statement. It is no table. */
const historyAlias = 'history'

/** An entry of a passport's history, from any of its sources. What a source does not have is null. */
class HistoryRow extends Model {
  declare at: string
  declare kind: HistoryEntry['kind']
  declare type: NonNullable<HistoryEntry['type']> | null
  /** Of an event: the public status that the passport had then. */
  declare status: string | null
  /** Of a scan: whether its numbers are not registered by their maker. */
  declare unknown: boolean | null
  declare version: number | null
  declare contentHash: string | null
  declare hosted: boolean | null
  declare network: Network | null
  declare transactionHash: string | null
  declare fromAddress: string | null
  declare toAddress: string | null

  static override tableName = historyAlias
}

/** The columns of a history besides `id`, `at` and `kind`, with the types of those that a source lacks. */
const sourceColumns = {
  type: 'text',
  status: 'text',
  unknown: 'boolean',
  version: 'int',
  content_hash: 'text',
  hosted: 'boolean',
  network: 'text',
  transaction_hash: 'text',
  from_address: 'text',
  to_address: 'text',
} as const
type SourceColumn = keyof typeof sourceColumns

/** Creates the SQL of one source, with the columns of a history. @param has the columns that the source has */
function createSourceSql(kind: HistoryEntry['kind'], sql: string, has: readonly SourceColumn[]): string {
  const columns = Object.entries(sourceColumns).map(([name, type]) =>
    has.includes(name as SourceColumn) ? name : `null::${type} as ${name}`,
  )
  return `select id, at, '${kind}' as kind, ${columns.join(', ')} from (${sql}) as ${kind}_rows`
}

const historySql = [
  createSourceSql('event', passportEventsSql, ['type', 'status', 'unknown']),
  createSourceSql('owner', passportTransfersSql, ['type', 'transaction_hash', 'from_address', 'to_address']),
  createSourceSql('version', passportVersionsSql, ['version', 'content_hash', 'hosted', 'network']),
  createSourceSql('anchor', passportAnchorsSql, ['version', 'network', 'transaction_hash']),
].join(' union all ')

const historyColumns: Columns = {
  id: { sql: 'history.id' },
  at: { sql: 'history.at' },
  // The field of the order that every list has if none is asked for.
  createdAt: { sql: 'history.at' },
  kind: { sql: 'history.kind' },
  type: { sql: 'history.type' },
}

/**
 * Lists what happened to a passport of the caller's organization, from all sources in one statement, the newest first.
 * @throws NOT_FOUND
 */
export async function listHistory(
  work: Work,
  caller: OrganizationCaller,
  passport: string,
  page: PageRequest,
): Promise<PageResult<HistoryEntry>> {
  const { id, organization } = await readOwnPassport(work, caller, passport)
  const rows = createModelSource(queryHistory(work.trx, organization, id))
  return mapPageResult(await listPage(rows, page, historyColumns), presentEntry)
}

const queryHistory = (db: Knex, organization: string, passport: string) =>
  HistoryRow.query(db).from(
    raw(`(${historySql}) as history`, [organization, passport, passport, passport, passport]) as unknown as string,
  )

function presentEntry(row: HistoryRow): HistoryEntry {
  const { id, at, kind, type, version, contentHash, network, transactionHash } = row
  return {
    id,
    at,
    kind,
    summary: describers[kind](row),
    ...(type !== null && { type }),
    ...(version !== null && { version }),
    ...(contentHash !== null && { contentHash }),
    ...(network !== null && { network }),
    ...(transactionHash !== null && { transactionHash }),
  }
}

/** What an event of each type says, in a sentence. */
const eventSentences: Readonly<Record<NonNullable<HistoryEntry['type']>, string>> = {
  create: 'The passport was created.',
  update: 'The passport was changed.',
  publish: 'The passport was published.',
  claim: 'A buyer claimed the passport.',
  scan: 'Somebody outside the organization read the passport.',
  transfer: 'The token moved to another wallet.',
  mint: 'The token was minted.',
}

const describers: Readonly<Record<HistoryEntry['kind'], (row: HistoryRow) => string>> = {
  event({ type, status, unknown }) {
    if (type === 'update' && status === 'archived') return 'The passport was archived, or changed while archived.'
    if (type === 'scan' && unknown === true) return 'A code whose number is not registered led to the passport.'
    return eventSentences[type ?? 'update']
  },
  owner({ type, fromAddress, toAddress }) {
    if (type === 'mint') return `The token was minted to the issuer ${toAddress}.`
    if (type === 'claim') return `The token went to the buyer ${toAddress}.`
    return `The token went from ${fromAddress} to ${toAddress}.`
  },
  version: ({ version, hosted }) =>
    hosted === true
      ? `Version ${version} of the certificate, which you host, was recorded.`
      : `Version ${version} of the credential was signed.`,
  anchor: ({ version, network }) => `The hash of version ${version} was anchored on ${network}.`,
}
