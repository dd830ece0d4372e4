import { randomUUID } from 'node:crypto'
import type { Knex } from 'knex'

/** A job of a passport: its status, and why it failed. */
export interface JobVariant {
  status?: 'pending' | 'completed' | 'failed'
  error?: string
}

/** What a representation of a passport shows, each with or without its neighbours, also as no request brings it about. */
export interface PassportVariant {
  status?: 'draft' | 'published' | 'claimed' | 'archived'
  source?: 'manual' | 'import' | 'ecommerce'
  reference?: string
  fields?: object
  data?: object | null
  certifiedPaths?: readonly string[]
  certificateUri?: string
  allowedClaimEmail?: string
  allowedClaimPhoneNumber?: string
  /** The account that claimed it. */
  mintedTo?: string
  token?: { contract: string; transactionHash: string; owner?: string }
  certificate?: { certifiedAt: string; contentHash: string; ipfsCid: string }
  structureJob?: JobVariant
  certifyJob?: JobVariant
  trust?: { enrolledAt: string; url: string }
  createdAt?: string
  updatedAt?: string
}

/** Makes a passport this variant of itself; what the variant leaves out stays as it was. */
export async function varyPassport(db: Knex, id: string, variant: PassportVariant): Promise<void> {
  const { data, token, certificate, structureJob, certifyJob, trust } = variant
  const columns = {
    status: variant.status,
    source: variant.source,
    reference: variant.reference,
    fields: variant.fields,
    data: data && JSON.stringify(data),
    certified_paths: variant.certifiedPaths,
    certificate_uri: variant.certificateUri,
    allowed_claim_email: variant.allowedClaimEmail,
    allowed_claim_phone_number: variant.allowedClaimPhoneNumber,
    minted_to: variant.mintedTo,
    created_at: variant.createdAt,
    updated_at: variant.updatedAt,
    ...(token && {
      token_contract: token.contract,
      token_transaction: token.transactionHash,
      token_owner: token.owner,
    }),
    ...(certificate && {
      certification_status: 'certified',
      certified_at: certificate.certifiedAt,
      content_hash: certificate.contentHash,
      ipfs_cid: certificate.ipfsCid,
    }),
    ...(structureJob && {
      structure_job: randomUUID(),
      structure_job_status: structureJob.status,
      structure_job_error: structureJob.error,
    }),
    ...(certifyJob && {
      certify_job: randomUUID(),
      certify_job_status: certifyJob.status,
      certify_job_error: certifyJob.error,
    }),
    ...(trust && { trust_enrolled_at: trust.enrolledAt, trust_url: trust.url }),
  }
  if (Object.values(columns).some((value) => value !== undefined)) await db('passports').where({ id }).update(columns)
}
