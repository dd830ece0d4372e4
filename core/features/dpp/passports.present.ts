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
  const { reference, allowedClaimEmail, allowedClaimPhoneNumber } = row
  return {
    ...publicMembers(row),
    reference, allowedClaimEmail, allowedClaimPhoneNumber,
    mintedTo: mintedTo(row, row.mintedTo === null ? {} : { id: row.mintedTo }),
    structureJob: unit(row.structureJob, row.structureJobStatus, row.structureJobError),
    certifyJob: unit(row.certifyJob, row.certifyJobStatus, row.certifyJobError),
  }
}

/** The passport as everybody else sees it. */
export function presentPublicly(row: PassportRow): Passport {
  return publicMembers(row)
}

function publicMembers(row: PassportRow): Passport {
  const {
    id,
    tokenId,
    application,
    network,
    status,
    source,
    sheet,
    fields,
    certifiedPaths,
    certificateUri,
    certificationStatus,
    certifiedAt,
    contentHash,
    ipfsCid,
    createdAt,
    updatedAt,
  } = row
  return {
    id,
    tokenId,
    application: { id: application, name: row.applicationName },
    network,
    status,
    source,
    product: sheet,
    fields,
    certifiedPaths,
    certificateUri,
    mintedTo: mintedTo(row, {}),
    token: token(row),
    certificationStatus,
    certifiedAt,
    contentHash,
    ipfsCid,
    createdAt,
    updatedAt,
  }
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
