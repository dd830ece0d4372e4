/**
 * SQL of a passport as the API shows it, member by member what `presentPassport` and `presentPublicly` make of a row:
 * a test holds the two against each other. Tables: `passports`, and two small ones by primary key; the parents of the
 * product flow come from the function `passport_parents`, which a passport of the sheet flow does not call.
 */

const instant = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** What stands beside the row, once for every form that is chosen from: not drawn into them because of its `offset`. */
const around = `(select
  (select a.name from applications a where a.id = passports.application) as application_name,
  case when passports.minted_to is not null
    then (select w.address from accounts w where w.id = passports.minted_to) end as minted_address offset 0) around`

const mintedTo = (id: string) => `case when around.minted_address is not null
  then json_build_object(${id}'address', around.minted_address, 'network', passports.network) end`

const token = `case when passports.token_contract is not null and passports.token_transaction is not null
  and passports.token_owner is not null then json_build_object('contract', passports.token_contract,
    'transactionHash', passports.token_transaction, 'owner', passports.token_owner) end`

const unit = (name: string) => `case when passports.${name} is not null and passports.${name}_status is not null then
  case when passports.${name}_error is null
    then json_build_object('id', passports.${name}, 'status', passports.${name}_status)
    else json_build_object('id', passports.${name}, 'status', passports.${name}_status, 'error', passports.${name}_error)
  end end`

const trust = `case when passports.trust_enrolled_at is not null then json_build_object(
  'enrolledAt', ${instant('passports.trust_enrolled_at')}, 'url', passports.trust_url) end`

/** What a reader is shown of a passport beside its content. */
interface Eyes { accountId: string; own: string; data: string; model: string; batch: string }

const everybody: Eyes = {
  accountId: '', own: '', data: "passports.data - 'opt_in_form'",
  model: 'case when parents.model_open then parents.model end',
  batch: 'case when parents.batch_open then parents.batch end',
}

const owner: Eyes = {
  accountId: "'id', passports.minted_to, ",
  own: `, 'reference', passports.reference, 'allowedClaimEmail', passports.allowed_claim_email,
  'allowedClaimPhoneNumber', passports.allowed_claim_phone_number,
  'structureJob', ${unit('structure_job')}, 'certifyJob', ${unit('certify_job')}`,
  data: 'passports.data',
  model: 'parents.model',
  batch: 'parents.batch',
}

/** @param content SQL of the members that differ by flow */
const members = ({ accountId, own }: Eyes, content: string) => `json_build_object(
  'id', passports.id, 'tokenId', passports.token_id,
  'application', json_build_object('id', passports.application, 'name', around.application_name),
  'network', passports.network, 'status', passports.status, 'source', passports.source, ${content},
  'certifiedPaths', passports.certified_paths,
  'certificateUri', passports.certificate_uri, 'mintedTo', ${mintedTo(accountId)}, 'token', ${token},
  'certificationStatus', passports.certification_status, 'certifiedAt', ${instant('passports.certified_at')},
  'contentHash', passports.content_hash, 'ipfsCid', passports.ipfs_cid,
  'createdAt', ${instant('passports.created_at')}, 'updatedAt', ${instant('passports.updated_at')}${own})`

const ofSheet = (eyes: Eyes) => members(eyes, `'product', passports.sheet,
  'sheetVersion', coalesce(passports.sheet_version, 1), 'fields', passports.fields`)

const ofProduct = (eyes: Eyes) => `(select ${members(eyes, `
  'product', passports.product, 'data', coalesce(${eyes.data}, '{}'),
  'model', ${eyes.model}, 'batch', ${eyes.batch}, 'trust', ${trust}`)}
  from passport_parents(passports.application, passports.product) parents)`

const shownTo = (eyes: Eyes) =>
  `case when passports.product is null then ${ofSheet(eyes)} else ${ofProduct(eyes)} end`

/** As its organization sees it. */
export const shownToOwner = `(select ${shownTo(owner)} from ${around})`

/** As a reader sees it. @param isOwner SQL of whether it is the organization's own; a draft is null for all others */
export const shownToReader = (isOwner: string) => `(select case when ${isOwner} then ${shownTo(owner)}
  when passports.status <> 'draft' then ${shownTo(everybody)} end from ${around})`

/** As an event keeps it: what everybody may see, and of a draft no more than that it is there. */
export const shownInEvents = `(select case when passports.status = 'draft' then ${draftInEvents('passports.id')}
  else ${shownTo(everybody)} end from ${around})`

/** A draft as an event keeps it. @param id SQL of its identifier */
export function draftInEvents(id: string): string {
  return `json_build_object('id', ${id})`
}
