import type { Knex } from 'knex'
import { newId } from '../../../database/model.ts'
import type { SessionCaller } from '../../../kernel/caller.ts'
import { createValidationProblem } from '../../../kernel/problem.ts'
import type { Work } from '../../../kernel/work.ts'
import { findDocument, listCurrentDocuments, type PublishedDocument } from './documents.ts'
import type { Acceptance, LegalAcceptance, LegalAudience } from './legal.schema.ts'

/** A document that somebody accepted, with what proves it. */
export interface AcceptedDocument {
  document: string
  version: string
  /** SHA-256 of the text that was accepted. */
  sha256: string
}

/** Who accepts, where and when. */
export interface AcceptanceDetails {
  user: string
  /** The organization that the person acts for, or null for none. */
  organization: string | null
  /** Network address that the acceptance came from. */
  address: string
  acceptedAt: Date
  /** The intent that the acceptance comes from; an intent serves one person, once. */
  intent?: string
}

/**
 * Finds the documents that somebody accepts.
 * @param path the beginning of the paths of the issues
 * @throws VALIDATION_FAILED for a document that is not known, or a version that is not the current one
 */
export function findAccepted(acceptances: readonly LegalAcceptance[], path = 'acceptances'): AcceptedDocument[] {
  const issues = acceptances.flatMap(({ document, version }, at) => {
    const current = findDocument(document)
    if (!current) return [{ path: `${path}[${at}].document`, code: 'unknown', message: 'is no document of ours' }]
    if (current.version === version) return []
    return [
      { path: `${path}[${at}].version`, code: 'not_current', message: `is not the current one, ${current.version}` },
    ]
  })
  if (issues.length > 0) throw createValidationProblem(issues)
  return acceptances.flatMap(({ document, version }) => {
    const found = findDocument(document, version)
    return found ? [{ document, version, sha256: found.sha256 }] : []
  })
}

/** Keeps acceptances. Of what the person has accepted before, the first acceptance stays. */
export async function insertAcceptances(
  trx: Knex,
  accepted: readonly AcceptedDocument[],
  { user, organization, address, acceptedAt, intent }: AcceptanceDetails,
): Promise<void> {
  if (accepted.length === 0) return
  if (intent !== undefined && (await trx('legal_acceptances').where({ intent }).first('id'))) return
  await trx('legal_acceptances')
    .insert(
      accepted.map((one) => ({
        ...one,
        id: newId(),
        user_id: user,
        organization,
        address,
        accepted_at: acceptedAt,
        intent: intent ?? null,
      })),
    )
    .onConflict()
    .ignore()
}

/**
 * Keeps what the person of a session accepts now.
 * @throws VALIDATION_FAILED for a document that is not known, or a version that is not the current one
 */
export async function acceptDocuments(
  { trx }: Pick<Work, 'trx'>,
  caller: SessionCaller,
  { acceptances, address }: { acceptances: readonly LegalAcceptance[]; address: string },
): Promise<void> {
  await insertAcceptances(trx, findAccepted(acceptances), {
    user: caller.user,
    organization: caller.kind === 'member' ? caller.organization : null,
    address,
    acceptedAt: new Date(),
  })
}

/** Lists what a person has accepted, the newest first. */
export async function listAcceptances(trx: Knex, user: string): Promise<Acceptance[]> {
  const rows = await trx('legal_acceptances')
    .where({ user_id: user })
    .orderBy([{ column: 'accepted_at', order: 'desc' }, 'document'])
    .select<{ document: string; version: string; accepted_at: Date }[]>('document', 'version', 'accepted_at')
  return rows.map(({ document, version, accepted_at }) => ({
    id: document,
    version,
    title: findDocument(document, version)?.title ?? document,
    acceptedAt: accepted_at.toISOString(),
  }))
}

/** Lists the current documents for an audience that a person has not accepted. */
export async function listMissingDocuments(
  trx: Knex,
  user: string,
  audience: LegalAudience,
): Promise<PublishedDocument[]> {
  const current = listCurrentDocuments(audience)
  if (current.length === 0) return []
  const accepted = await trx('legal_acceptances')
    .where({ user_id: user })
    .select<{ document: string; version: string }[]>('document', 'version')
  return current.filter(({ id, version }) => !accepted.some((one) => one.document === id && one.version === version))
}

/** Returns what the active organization of a session is; `individual` for buyers, and for members without one. */
export async function readAudience(trx: Knex, caller: SessionCaller): Promise<LegalAudience> {
  if (caller.kind !== 'member' || caller.organization === null) return 'individual'
  const row = await trx('organizations')
    .where({ id: caller.organization })
    .first<{ customer_type: LegalAudience } | undefined>('customer_type')
  return row?.customer_type ?? 'individual'
}
