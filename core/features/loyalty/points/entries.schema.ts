import { createListSchema, enumFilter, instantFilter, uuidFilter, type ListDeclaration } from '../../../kernel/page.ts'
import { instant, list, nullable, object, oneOf, string, uuid, type Static } from '../../../kernel/schema.ts'
import { pointsText } from '../amounts/index.ts'
import { chainStates } from '../posting/index.ts'
import { operationIdText } from './points.schema.ts'

const entryKinds = ['mint', 'burn', 'order', 'welcome', 'assignment', 'adjust', 'expire', 'reverse', 'visit'] as const

const LedgerPosting = object(
  {
    book: string('`points` or `visits`.'),
    owner: string('The account, or `issuer`.'),
    amount: pointsText('What the owner got; below zero, what it gave.'),
  },
  { title: 'LedgerPosting', description: 'One side of an entry.' },
)

export const LedgerEntry = object(
  {
    id: uuid('Identifier of the entry.'),
    operationId: operationIdText,
    kind: oneOf(entryKinds, 'What it was.'),
    postings: list(LedgerPosting, 'Its sides, which sum to zero.'),
    occurredAt: instant('When it happened.'),
    recordedAt: instant('When it was recorded.'),
    chain: oneOf(chainStates, 'How far it is on the chain; none: no chain gets it.'),
    transactionHash: nullable(string('The transaction that has it; null until then.')),
  },
  { title: 'LedgerEntry', description: 'An entry of the ledger. Entries never change.' },
)
export type LedgerEntry = Static<typeof LedgerEntry>

export const LedgerEntryList = createListSchema(LedgerEntry, 'LedgerEntryList')

export const entryList: ListDeclaration = {
  rowSchema: LedgerEntry,
  filters: {
    id: uuidFilter('eq'),
    kind: enumFilter(entryKinds, 'eq'),
    recordedAt: instantFilter,
    occurredAt: instantFilter,
  },
  sorters: ['id', 'recordedAt'],
}
