import type { Caller } from '../../kernel/caller.ts'
import { mayActFor, organizationOf, permissionsOf } from '../../kernel/caller.ts'
import { grants } from '../../kernel/permission.ts'
import type { besidePassport, PassportRow } from './passports.model.ts'
import type { Passport } from './passports.schema.ts'
import { sheetVersionOf } from './versions/versions.ts'

/** Members of a row that a representation is made of. */
export const shownColumns = [
  'id', 'tokenId', 'application', 'network', 'status', 'source', 'sheet', 'fields', 'product', 'data', 'certifiedPaths',
  'certificateUri', 'mintedTo', 'tokenContract', 'tokenTransaction', 'tokenOwner', 'certificationStatus', 'certifiedAt',
  'contentHash', 'ipfsCid', 'reference', 'allowedClaimEmail', 'allowedClaimPhoneNumber', 'structureJob',
  'structureJobStatus', 'structureJobError', 'certifyJob', 'certifyJobStatus', 'certifyJobError', 'trustEnrolledAt',
  'trustUrl', 'createdAt', 'updatedAt', 'sheetVersion',
] as const satisfies readonly (keyof PassportRow)[]

/** A row of `passports` that was `shown`, or the part of one that a representation needs. */
export type ShownPassport = Pick<PassportRow, (typeof shownColumns)[number] | keyof typeof besidePassport>

/** Whether the caller sees all of the passport, drafts included. */
export function seesAll(caller: Caller, { organization }: Pick<PassportRow, 'organization'>): boolean {
  return mayActFor(caller, organization, 'dpp:read')
}

/** The organization whose passports this caller sees all of, if any. */
export function insiderOf(caller: Caller): string | null {
  return grants(permissionsOf(caller), 'dpp:read') ? organizationOf(caller) : null
}

/** The passport as its organization sees it. The row has to be `shown`. */
export function presentPassport(row: ShownPassport): Passport {
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
export function presentPublicly(row: ShownPassport): Passport {
  const { parents } = row
  const { opt_in_form: _, ...data } = row.data ?? {}
  const model = parents?.model_open ? parents.model : null
  const batch = parents?.batch_open ? parents.batch : null
  return common(row, { account: {}, data, model, batch })
}

/** The passport as an event keeps it: its public part, and of a draft no more than that it is there. */
export function presentInEvents(row: ShownPassport): Passport | { id: string } {
  return row.status === 'draft' ? { id: row.id } : presentPublicly(row)
}

type Parent = NonNullable<ShownPassport['parents']>['model']

/** What differs by reader. */
interface Part { account: { id?: string }; data: Record<string, unknown>; model: Parent; batch: Parent }

function common(row: ShownPassport, { account, data, model, batch }: Part): Passport {
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
function contentOf(row: ShownPassport, data: Record<string, unknown>, model: Parent, batch: Parent) {
  const { sheet, fields, product, trustEnrolledAt, trustUrl } = row
  if (product === null) return { product: sheet as string, sheetVersion: sheetVersionOf(row), fields }
  const trust = trustEnrolledAt !== null && trustUrl !== null ? { enrolledAt: trustEnrolledAt, url: trustUrl } : null
  return { product, data, model, batch, trust }
}

function mintedTo({ mintedTo, mintedAddress, network }: ShownPassport, account: { id?: string }): Passport['mintedTo'] {
  return mintedTo !== null && mintedAddress !== null ? { ...account, address: mintedAddress, network } : null
}

function token({
  tokenContract: contract,
  tokenTransaction: transactionHash,
  tokenOwner: owner,
}: ShownPassport): Passport['token'] {
  return contract !== null && transactionHash !== null && owner !== null ? { contract, transactionHash, owner } : null
}

function unit(
  id: string | null,
  status: ShownPassport['structureJobStatus'],
  error: string | null,
): NonNullable<Passport['structureJob']> | null {
  return id === null || status === null ? null : { id, status, ...(error !== null && { error }) }
}
