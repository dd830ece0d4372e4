import {
  enumFilter,
  textFilter,
  commonFilters,
  commonSorters,
  createListSchema,
  type ListDeclaration,
} from '../../../kernel/page.ts'
import { instant, nullable, object, oneOf, optional, string, uuid, type Static } from '../../../kernel/schema.ts'

export const domainStatuses = ['pending', 'proven', 'failed', 'lost'] as const
export type DomainStatus = (typeof domainStatuses)[number]

/** The way in which a proof was found: in DNS, or in the file on the domain's own host. */
export type ProofMethod = 'dns' | 'file'

export const proofFailures = [
  'record_missing',
  'record_differs',
  'file_differs',
  'dns_failed',
  'dns_timeout',
  'not_allowed',
  'proven_by_another',
] as const
export type ProofFailure = (typeof proofFailures)[number]

const ProofRecord = object(
  {
    type: oneOf(['TXT'], 'Type of the DNS record.'),
    name: string('Name of the DNS record; of a wildcard it is below the parent.', {
      examples: ['_tessera.shop.example.com'],
    }),
    value: string(
      "What the record has to be, or a line of `/.well-known/tessera-domain.txt` on the domain's own host.",
    ),
  },
  { title: 'DomainProofRecord', description: 'What to publish so that the domain is proven.' },
)

export const DomainProof = object(
  {
    id: uuid('Identifier of the row.'),
    domain: string('The domain in ASCII and small letters, as applications name it.'),
    status: oneOf(
      domainStatuses,
      'pending: its proof is waited for. Only proven domains count anywhere. failed: a check found '
        + 'no proof. lost: the proof was gone for 7 days, or another organization has a newer one.',
    ),
    record: ProofRecord,
    checkedAt: nullable(instant('When the proof was last looked for.')),
    provenAt: nullable(instant('Since when the domain has been proven.')),
    reason: optional(oneOf(proofFailures, 'Why the last check found no proof that counts.')),
    createdAt: instant('When the application first named it.'),
    updatedAt: instant('When something last changed about it.'),
  },
  { title: 'ApplicationDomain', description: 'A domain of an application, and whether it is proven.' },
)
export type DomainProof = Static<typeof DomainProof>

export const DomainProofList = createListSchema(DomainProof, 'ApplicationDomainList')

export const domainList: ListDeclaration = {
  rowSchema: DomainProof,
  filters: { ...commonFilters, status: enumFilter(domainStatuses, 'eq'), domain: textFilter('eq', 'contains') },
  sorters: [...commonSorters, 'domain'],
}

export const domainColumns = {
  id: { sql: 'application_domains.id' },
  status: { sql: 'application_domains.status' },
  domain: { sql: 'application_domains.domain' },
  createdAt: { sql: 'application_domains.created_at' },
  updatedAt: { sql: 'application_domains.updated_at' },
}
