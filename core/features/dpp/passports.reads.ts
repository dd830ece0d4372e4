import type { Knex } from 'knex'
import { PassportRow } from './passports.model.ts'

/** Named one by one: a prepared statement must not change its columns when a migration adds one. */
const columns = [
  'id',
  'token_id',
  'organization',
  'application',
  'sheet',
  'network',
  'status',
  'source',
  'reference',
  'fields',
  'certified_paths',
  'certificate_uri',
  'allowed_claim_email',
  'allowed_claim_phone_number',
  'certification_status',
  'certified_at',
  'content_hash',
  'ipfs_cid',
  'minted_to',
  'token_contract',
  'token_transaction',
  'token_owner',
  'mint_queued_at',
  'minted_at',
  'mint_job',
  'mint_line',
  'structure_job',
  'structure_job_status',
  'structure_job_error',
  'certify_job',
  'certify_job_status',
  'certify_job_error',
  'created_at',
  'updated_at',
]
  .map((name) => `p.${name}`)
  .join(', ')

const passportById = `
  select ${columns}, a.name as application_name, w.address as minted_address
  from passports p join applications a on a.id = p.application left join accounts w on w.id = p.minted_to
  where p.id = ?`

/** A passport with what its representation needs, whoever's it is. Planned once a connection: everyone reads by it. */
export async function readShown(db: Knex, id: string): Promise<PassportRow | undefined> {
  const { rows: [row] } = await db.raw<{ rows: object[] }>(passportById, [id]).options({ name: 'passport_by_id' })
  return row && PassportRow.fromDatabaseJson(row)
}
