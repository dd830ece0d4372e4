import type { Caller } from '../../kernel/caller.ts'
import { mayActFor, organizationOf, permissionsOf } from '../../kernel/caller.ts'
import { grants } from '../../kernel/permission.ts'
import type { PassportRow } from './passports.model.ts'
import type { Passport } from './passports.schema.ts'
import { sheetVersionOf } from './versions/versions.ts'

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
    ...common(row, {
      account: row.mintedTo === null ? {} : { id: row.mintedTo }, data: row.data ?? {},
      model: parents?.model ?? null, batch: parents?.batch ?? null,
    }),
    reference, allowedClaimEmail, allowedClaimPhoneNumber,
    structureJob: unit(row.structureJob, row.structureJobStatus, row.structureJobError),
    certifyJob: unit(row.certifyJob, row.certifyJobStatus, row.certifyJobError),
  }
}

/** The passport as everybody else sees it. The row has to be `shown`. */
export function presentPublicly(row: PassportRow): Passport {
  const { parents } = row
  const { opt_in_form: _, ...data } = row.data ?? {}
  const model = parents?.model_open ? parents.model : null
  const batch = parents?.batch_open ? parents.batch : null
  return common(row, { account: {}, data, model, batch })
}

/** The passport as an event keeps it: its public part, and of a draft no more than that it is there. */
export function presentInEvents(row: PassportRow): Passport | { id: string } {
  return row.status === 'draft' ? { id: row.id } : presentPublicly(row)
}

type Parent = NonNullable<PassportRow['parents']>['model']

/** What differs by reader. */
interface Part { account: { id?: string }; data: Record<string, unknown>; model: Parent; batch: Parent }

function common(row: PassportRow, { account, data, model, batch }: Part): Passport {
  const { id, tokenId, application, applicationName: name, network, status, source, certifiedPaths, certificateUri } = row
  const { certificationStatus, certifiedAt, contentHash, ipfsCid, createdAt, updatedAt } = row
  return {
    id, tokenId, application: { id: application, name }, network, status, source,
    ...contentOf(row, data, model, batch),
    certifiedPaths, certificateUri, mintedTo: mintedTo(row, account), token: token(row),
    certificationStatus, certifiedAt, contentHash, ipfsCid, createdAt, updatedAt,
  }
}

/** The members that differ by flow. */
function contentOf(row: PassportRow, data: Record<string, unknown>, model: Parent, batch: Parent) {
  const { sheet, fields, product, trustEnrolledAt, trustUrl } = row
  if (product === null) return { product: sheet as string, sheetVersion: sheetVersionOf(row), fields }
  const trust = trustEnrolledAt !== null && trustUrl !== null ? { enrolledAt: trustEnrolledAt, url: trustUrl } : null
  return { product, data, model, batch, trust }
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
