/** A row as the statements of the raw server return it. */
export interface Row {
  [column: string]: unknown
  id: string
  network: string
}

const presentMintedTo = ({ minted_to: id, minted_address: address, network }: Row, own: boolean) =>
  id === null || address === null ? null : { ...(own ? { id } : {}), address, network }

const presentToken = ({ token_contract: contract, token_transaction: transactionHash, token_owner: owner }: Row) =>
  contract === null || transactionHash === null || owner === null ? null : { contract, transactionHash, owner }

const presentJobUnit = (id: unknown, status: unknown, error: unknown) =>
  id === null || status === null ? null : { id, status, ...(error === null ? {} : { error }) }

/** Presents a passport to the public. Times are dates, which JSON formats as the API does. */
export const presentToAll = (row: Row) => ({
  id: row.id,
  tokenId: row['token_id'],
  application: { id: row['application'], name: row['application_name'] },
  network: row.network,
  status: row['status'],
  source: row['source'],
  product: row['sheet'],
  sheetVersion: row['sheet_version'] ?? 1,
  fields: row['fields'],
  certifiedPaths: row['certified_paths'],
  certificateUri: row['certificate_uri'],
  mintedTo: presentMintedTo(row, false),
  token: presentToken(row),
  certificationStatus: row['certification_status'],
  certifiedAt: row['certified_at'],
  contentHash: row['content_hash'],
  ipfsCid: row['ipfs_cid'],
  createdAt: row['created_at'],
  updatedAt: row['updated_at'],
})

/** Presents a passport to its organization. */
export const presentToOwners = (row: Row) => ({
  ...presentToAll(row),
  reference: row['reference'],
  allowedClaimEmail: row['allowed_claim_email'],
  allowedClaimPhoneNumber: row['allowed_claim_phone_number'],
  mintedTo: presentMintedTo(row, true),
  structureJob: presentJobUnit(row['structure_job'], row['structure_job_status'], row['structure_job_error']),
  certifyJob: presentJobUnit(row['certify_job'], row['certify_job_status'], row['certify_job_error']),
})

const prefixColumns = (alias: string, names: string) =>
  names
    .trim()
    .split(/\s+/)
    .map((name) => `${alias}.${name}`)
    .join(', ')

const getPublicColumns = (alias: string) =>
  prefixColumns(
    alias,
    `
  id token_id application network status source sheet sheet_version fields certified_paths certificate_uri minted_to token_contract
  token_transaction token_owner certification_status certified_at content_hash ipfs_cid created_at updated_at`,
  )
const getOwnerColumns = (alias: string) =>
  `${getPublicColumns(alias)}, ${prefixColumns(
    alias,
    `
  reference allowed_claim_email allowed_claim_phone_number structure_job structure_job_status structure_job_error
  certify_job certify_job_status certify_job_error`,
  )}`

const joinedColumns = 'a.name as application_name, w.address as minted_address'
const joins = 'join applications a on a.id = p.application left join accounts w on w.id = p.minted_to'

export const keyByHash = 'select organization, permissions, expires_at from api_keys where key = $1 and enabled'

export const passportById = `
  select ${getPublicColumns('p')}, ${joinedColumns} from passports p ${joins} where p.id = $1 and p.status <> 'draft'`

export const insertPassport = `
  with p as (
    insert into passports (id, organization, application, sheet, sheet_version, network, fields)
    select uuidv7(), s.organization, s.application, s.id, s.schema_version, s.network, $3::jsonb
    from sheets s where s.id = $2 and s.organization = $1
    returning *)
  select ${getOwnerColumns('p')}, a.name as application_name, null as minted_address
  from p join applications a on a.id = p.application`

/** Creates the statement of a list: eleven rows of a page and the total, which is stored or counted up to 10,000. */
export function createListStatement(column: 'status' | 'sheet', count: 'kept' | 'capped'): string {
  const value = column === 'sheet' ? '$2::uuid' : '$2::text'
  const dimension = column === 'sheet' ? 'product' : 'status'
  const total = {
    kept: `select coalesce(sum(delta), 0) from passport_counts
      where organization = $1 and dimension = '${dimension}' and value = ${value}::text`,
    capped: `select count(*) from (
      select from passports where organization = $1 and ${column} = ${value} limit 10000) as capped`,
  }[count]
  return `
    select ${getOwnerColumns('p')}, ${joinedColumns}, (${total})::int as total from passports p ${joins}
    where p.organization = $1 and p.${column} = ${value} order by p.created_at desc, p.id desc limit 11`
}
