import { networkNames } from '../../../chains/networks.ts'
import { createListSchema, enumFilter, instantFilter, type ListDeclaration, uuidFilter } from '../../../kernel/page.ts'
import { instant, integer, object, oneOf, optional, string, uuid, type Static } from '../../../kernel/schema.ts'

export const historyKinds = ['event', 'owner', 'version', 'anchor'] as const
const historyTypes = ['create', 'update', 'publish', 'claim', 'scan', 'transfer', 'mint'] as const

export const HistoryEntry = object(
  {
    id: uuid('Identifier of the entry.'),
    at: instant('When it happened.'),
    kind: oneOf(
      historyKinds,
      'event: of the platform; owner: the token changed hands; version: of the credential; anchor: a version on chain.',
    ),
    summary: string('What happened, in a sentence.'),
    type: optional(oneOf(historyTypes, 'Of an event or a change of owner.')),
    version: optional(integer('Version of the credential.', { minimum: 1 })),
    contentHash: optional(string('Of a version: what it certifies.')),
    network: optional(oneOf(networkNames, 'Of a version or an anchor.')),
    transactionHash: optional(string('Of a change of owner or an anchor.')),
  },
  { title: 'HistoryEntry', description: 'Something that happened to a passport.' },
)
export type HistoryEntry = Static<typeof HistoryEntry>

export const PassportHistory = createListSchema(HistoryEntry, 'PassportHistory')

export const historyList: ListDeclaration = {
  rowSchema: HistoryEntry,
  filters: {
    id: uuidFilter('eq'),
    at: instantFilter,
    kind: enumFilter(historyKinds, 'eq', 'ne'),
    type: enumFilter(historyTypes, 'eq', 'ne'),
  },
  sorters: ['id', 'at'],
}
