import type { Knex } from 'knex'
import { v4 } from 'uuid'
import { invalid } from '../../kernel/problem.ts'
import type { Context } from '../../kernel/work.ts'
import { cidOf } from './cid.ts'
import { contentHash, type CertifiedContent } from './content.ts'
import { contentFaults, contextAddress, contextOf, keepContexts, type ContextDocument } from './contexts.ts'
import { keptProtectedTerms } from './contexts.protected.ts'
import { credentialOf, withStatus, withStatuses, withUndefinedTerms, type Credential, type Envelope, type StatusPlace } from './credential.ts'
import { signJwt } from './jose.ts'
import { issuingKey, type SigningKey } from './keys.ts'
import { refuseMalformed } from './model.ts'
import { withProof } from './proofs.ts'
import { takePlaces } from './status-lists.ts'

/** What to certify of a passport. */
export interface Subject { passport: string; content: CertifiedContent }

/** A version of a passport's credential, in both forms, as the bytes that are served from now on. */
export interface Issued {
  passport: string
  contentHash: string
  key: string
  validFrom: Date
  ld: Buffer
  jwt: Buffer
  /** Of the bytes of `ld`. */
  cid: string
  statusPair: string
  statusIndex: number
}

/** Where a passport's credential is read, which is its identifier. */
export const credentialAddress = ({ settings }: Context, passport: string) =>
  `${settings.baseUrl}/v1/dpp/passports/${passport}/vc.jsonld`

/** A passport's public address: the identifier of a subject that has none of its own. */
export const passportAddress = ({ settings }: Context, passport: string) => `${settings.publicUrl}/p/${passport}`

/**
 * Builds and signs both forms of the credential of each, with fresh places in the status lists, and keeps their
 * contexts, in the caller's transaction. No row a subject; the caller stores what it is given.
 * @throws VALIDATION_FAILED for content that cannot be certified, nothing signed then; DPP_KEY_ROTATION_PENDING while
 * the DID document lacks the key
 */
export async function issueCredentials(
  trx: Knex, context: Context, organization: string, subjects: readonly Subject[],
): Promise<Issued[]> {
  if (subjects.length === 0) return []
  const refused = await keptProtectedTerms(trx)
  for (const { content } of subjects) refuseFaults(content, refused)
  const key = await issuingKey(trx, context, organization)
  const places = await takePlaces(trx, context, { organization, did: key.did, key: key.id }, subjects.length)
  const contexts = new Map<string, ContextDocument>()
  const validFrom = context.clock.now()
  const issued: Issued[] = []
  for (const [at, { passport, content }] of subjects.entries()) {
    const place = places[at]
    if (!place) throw new Error('There are fewer places in the status lists than credentials')
    const { credential, document } = built(context, content, {
      id: credentialAddress(context, passport), subject: passportAddress(context, passport), issuer: key.issuer, validFrom,
    })
    if (document) contexts.set(document.sha256, document)
    issued.push({
      passport, contentHash: contentHash(content), key: key.id, validFrom,
      ...(await secured(credential, key, validFrom, place)), statusPair: place.pair, statusIndex: place.index,
    })
  }
  await keepContexts(trx, contexts.values())
  return issued
}

/** An unsigned credential with the context of its own, where it has one. @throws VALIDATION_FAILED for a malformed one */
function built(context: Context, content: CertifiedContent, envelope: Omit<Envelope, 'context'>) {
  const document = contextOf(content, context.settings.baseUrl)
  const plain = credentialOf(content, { ...envelope, context: document && contextAddress(context, document.sha256) })
  const credential = document?.open ? withUndefinedTerms(plain) : plain
  refuseMalformed(credential, 'credential')
  return { credential, document }
}

function refuseFaults(content: CertifiedContent, refused: ReadonlySet<string>): void {
  const faults = contentFaults(content, refused)
  if (faults.length > 0) throw invalid(faults)
}

async function secured(credential: Credential, key: SigningKey, validFrom: Date, place: StatusPlace) {
  const ld = Buffer.from(JSON.stringify(await withProof(withStatuses(credential, place), key, validFrom)))
  return { ld, jwt: Buffer.from(signJwt(withStatus(credential, place), key)), cid: await cidOf(ld) }
}

/**
 * A signed credential of a passport that is not there yet: under a name of its own, without status, as nothing could
 * revoke it. Kept is only the context that it names. @param contentOf what it says, given the UUID it goes by
 * @returns bytes of the embedded form. @throws VALIDATION_FAILED for content that cannot be certified, DPP_KEY_ROTATION_PENDING
 */
export async function buildCredential(
  trx: Knex, context: Context, organization: string, contentOf: (id: string) => CertifiedContent,
): Promise<Buffer> {
  const key = await issuingKey(trx, context, organization)
  const name = v4()
  const content = contentOf(name)
  refuseFaults(content, await keptProtectedTerms(trx))
  const id = `urn:uuid:${name}`
  const validFrom = context.clock.now()
  const { credential, document } = built(context, content, { id, subject: id, issuer: key.issuer, validFrom })
  if (document) await keepContexts(trx, [document])
  return Buffer.from(JSON.stringify(await withProof(credential, key, validFrom)))
}
