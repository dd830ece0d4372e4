/**
 * SQL of a passport as the API shows it, member by member what `presentPassport` and `presentPublicly` make of a row:
 * a test holds the two against each other. Tables: `passports`, and two small ones by primary key.
 */

const instant = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

const mintedTo = (id: string) => `(select json_build_object(${id}'address', w.address, 'network', passports.network)
  from accounts w where w.id = passports.minted_to)`

const token = `case when passports.token_contract is not null and passports.token_transaction is not null
  and passports.token_owner is not null then json_build_object('contract', passports.token_contract,
    'transactionHash', passports.token_transaction, 'owner', passports.token_owner) end`

const unit = (name: string) => `case when passports.${name} is not null and passports.${name}_status is not null then
  case when passports.${name}_error is null
    then json_build_object('id', passports.${name}, 'status', passports.${name}_status)
    else json_build_object('id', passports.${name}, 'status', passports.${name}_status, 'error', passports.${name}_error)
  end end`

const members = (accountId: string) => `
  'id', passports.id, 'tokenId', passports.token_id,
  'application', json_build_object('id', passports.application,
    'name', (select a.name from applications a where a.id = passports.application)),
  'network', passports.network, 'status', passports.status, 'source', passports.source, 'product', passports.sheet,
  'fields', passports.fields, 'certifiedPaths', passports.certified_paths,
  'certificateUri', passports.certificate_uri, 'mintedTo', ${mintedTo(accountId)}, 'token', ${token},
  'certificationStatus', passports.certification_status, 'certifiedAt', ${instant('passports.certified_at')},
  'contentHash', passports.content_hash, 'ipfsCid', passports.ipfs_cid,
  'createdAt', ${instant('passports.created_at')}, 'updatedAt', ${instant('passports.updated_at')}`

/** As everybody else sees it. */
export const shownPublicly = `json_build_object(${members('')})`

/** As its organization sees it. */
export const shownToOwner = `json_build_object(${members("'id', w.id, ")},
  'reference', passports.reference, 'allowedClaimEmail', passports.allowed_claim_email,
  'allowedClaimPhoneNumber', passports.allowed_claim_phone_number,
  'structureJob', ${unit('structure_job')}, 'certifyJob', ${unit('certify_job')})`
