import { raw, type Modifiers } from 'objection'
import type { Columns } from '../../../database/list/index.ts'
import { Model } from '../../../database/model.ts'
import type { Network } from '../../../chains/networks.ts'
import type { Job } from '../../../kernel/job.ts'
import type { Passport as Shown, PassportStatus } from './passports.schema.ts'
import { createScopedEntity } from '../../../database/scoped-entity.ts'

type JobStatus = Job['status']

/** A row of `passports`, with the values from related tables if the modifier `shown` selected them. */
export class PassportRow extends Model {
  declare tokenId: string
  declare organization: string
  declare application: string
  /** The sheet, in the sheet flow. */
  declare sheet: string | null
  /** The version of the sheet's definitions that validated the values; null for the first version. */
  declare sheetVersion: number | null
  declare network: Network
  declare status: PassportStatus
  declare source: Shown['source']
  declare reference: string | null
  declare fields: Record<string, unknown>
  /** The product object, in the product flow. */
  declare product: Record<string, unknown> | null
  declare data: Record<string, unknown> | null
  declare certifiedPaths: string[]
  declare certificateUri: string | null
  declare allowedClaimEmail: string | null
  declare allowedClaimPhoneNumber: string | null
  declare certificationStatus: Shown['certificationStatus']
  declare certifiedAt: string | null
  declare contentHash: string | null
  declare ipfsCid: string | null
  declare mintedTo: string | null
  declare tokenContract: string | null
  declare tokenTransaction: string | null
  declare tokenOwner: string | null
  declare mintQueuedAt: string | null
  declare mintedAt: string | null
  declare mintJob: string | null
  declare mintLine: number | null
  declare structureJob: string | null
  declare structureJobStatus: JobStatus | null
  declare structureJobError: string | null
  declare certifyJob: string | null
  declare certifyJobStatus: JobStatus | null
  declare certifyJobError: string | null
  declare trustEnrolledAt: string | null
  declare trustUrl: string | null
  /** The model and batch that the numbers lead to, in the product flow. */
  declare parents: ParentRow | null
  /** The name of the application. */
  declare applicationName: string
  /** The address of the account that claimed the passport, as long as the account exists. */
  declare mintedAddress: string | null

  static override tableName = 'passports'
  static override jsonAttributes = ['fields', 'data', 'product']

  static override modifiers: Modifiers = {
    ofOrganization: (query, organization: string) => void query.where('passports.organization', organization),
    /**
     * Selects the row with the related values that a representation needs. They are subselects, so that counting a list
     * needs no join.
     */
    shown: (query) =>
      void query.select('passports.*', ...Object.entries(relatedColumnsSql).map(([name, sql]) => raw(sql).as(name))),
  }
}

/** The model and the batch of a passport. `model_open` and `batch_open` tell whether everybody may see them. */
interface ParentRow {
  model: Parent | null
  model_open: boolean | null
  batch: Parent | null
  batch_open: boolean | null
}
interface Parent {
  id: string
  product: Record<string, unknown>
}

/** The SQL of the related values that a representation needs. */
export const relatedColumnsSql = {
  applicationName: '(select name from applications where applications.id = passports.application)',
  mintedAddress: '(select address from accounts where accounts.id = passports.minted_to)',
  parents: `case when passports.product is not null
    then (select to_json(p) from passport_parents(passports.application, passports.product) p) end`,
} as const

/** The SQL of the fields of the list. */
export const passportColumns: Columns = {
  id: { sql: 'passports.id' },
  createdAt: { sql: 'passports.created_at' },
  updatedAt: { sql: 'passports.updated_at' },
  'application.id': { sql: 'passports.application' },
  status: { sql: 'passports.status' },
  source: { sql: 'passports.source' },
  import: { sql: 'passports.import_job' },
  product: { sql: 'passports.sheet' },
  reference: { sql: 'passports.reference' },
  allowedClaimEmail: { sql: 'passports.allowed_claim_email', insensitive: true },
  'product.idGranularity': { sql: "(passports.product ->> 'idGranularity')" },
  'product.modelNumber': { sql: "(passports.product ->> 'modelNumber')" },
  'product.batchNumber': { sql: "(passports.product ->> 'batchNumber')" },
  'product.itemNumber': { sql: "(passports.product ->> 'itemNumber')" },
  'product.name': { sql: "(passports.product ->> 'name')" },
  'mintedTo.id': { sql: 'passports.minted_to' },
  // The status is set whenever the job is, and it has an index.
  structureJob: { sql: 'passports.structure_job_status' },
  certifyJob: { sql: 'passports.certify_job_status' },
  'structureJob.status': { sql: 'passports.structure_job_status' },
  'certifyJob.status': { sql: 'passports.certify_job_status' },
}

/** Passports, as requests name them. */
export const passportEntity = createScopedEntity('passports')
