import type { Caller } from '../../kernel/caller.ts'
import { mayActFor, organizationOf, permissionsOf } from '../../kernel/caller.ts'
import { grants } from '../../kernel/permission.ts'
import type { PassportRow } from './passports.model.ts'
import type { Passport } from './passports.schema.ts'

/** Whether the caller sees all of the passport, drafts included. */
export function seesAll(caller: Caller, { organization }: Pick<PassportRow, 'organization'>): boolean {
  return mayActFor(caller, organization, 'dpp:read')
}

/** The organization whose passports this caller sees all of, if any. */
export function insiderOf(caller: Caller): string | null {
  return grants(permissionsOf(caller), 'dpp:read') ? organizationOf(caller) : null
}

/** The passport as its organization sees it. The row has to be `shown`. */
export function presentPassport(row: PassportRow): Passport {
  const { reference, allowedClaimEmail, allowedClaimPhoneNumber, parents } = row
  return {
    ...common(row, row.mintedTo === null ? {} : { id: row.mintedTo }, parents?.model ?? null, parents?.batch ?? null),
    reference, allowedClaimEmail, allowedClaimPhoneNumber,
    structureJob: unit(row.structureJob, row.structureJobStatus, row.structureJobError),
    certifyJob: unit(row.certifyJob, row.certifyJobStatus, row.certifyJobError),
  }
}

/** The passport as everybody else sees it. The row has to be `shown`. */
export function presentPublicly(row: PassportRow): Passport {
  const { parents } = row
  const model = parents?.model_open ? parents.model : null
  const batch = parents?.batch_open ? parents.batch : null
  return common(row, {}, model, batch)
}

type Parent = NonNullable<PassportRow['parents']>['model']

function common(row: PassportRow, account: { id?: string }, model: Parent, batch: Parent): Passport {
  const { id, tokenId, application, applicationName: name, network, status, source, certifiedPaths, certificateUri } = row
  const { certificationStatus, certifiedAt, contentHash, ipfsCid, createdAt, updatedAt } = row
  return {
    id, tokenId, application: { id: application, name }, network, status, source,
    ...contentOf(row, model, batch),
    certifiedPaths, certificateUri, mintedTo: mintedTo(row, account), token: token(row),
    certificationStatus, certifiedAt, contentHash, ipfsCid, createdAt, updatedAt,
  }
}

/** The members that differ by flow. */
function contentOf(row: PassportRow, model: Parent, batch: Parent) {
  const { sheet, fields, product, data, trustEnrolledAt, trustUrl } = row
  if (product === null) return { product: sheet as string, fields }
  const trust = trustEnrolledAt !== null && trustUrl !== null ? { enrolledAt: trustEnrolledAt, url: trustUrl } : null
  return { product, data: data ?? {}, model, batch, trust }
}

function mintedTo({ mintedTo, mintedAddress, network }: PassportRow, account: { id?: string }): Passport['mintedTo'] {
  return mintedTo !== null && mintedAddress !== null ? { ...account, address: mintedAddress, network } : null
}

function token({
  tokenContract: contract,
  tokenTransaction: transactionHash,
  tokenOwner: owner,
}: PassportRow): Passport['token'] {
  return contract !== null && transactionHash !== null && owner !== null ? { contract, transactionHash, owner } : null
}

function unit(
  id: string | null,
  status: PassportRow['structureJobStatus'],
  error: string | null,
): NonNullable<Passport['structureJob']> | null {
  return id === null || status === null ? null : { id, status, ...(error !== null && { error }) }
}
