import type { Knex } from 'knex'
import { v4 } from 'uuid'
import { createValidationProblem } from '../../../kernel/problem.ts'
import type { Context } from '../../../kernel/work.ts'
import { type CertifiedContent, createCid, hashContent } from '../formats/index.ts'
import {
  addRevocationEntry,
  addStatusEntries,
  addUndefinedTermsContext,
  type ContextDocument,
  createContextDocument,
  createCredential,
  type Credential,
  type CredentialEnvelope,
  getContextAddress,
  insertContexts,
  readProtectedTerms,
  type StatusPosition,
  validateCertifiedContent,
} from '../contexts/index.ts'
import { addProof, signJwt } from '../suites/index.ts'
import { readIssuingKey, type SigningKey } from '../keys/index.ts'
import { assertValidCredential } from '../model/index.ts'
import { allocateStatusPositions } from '../status-lists/index.ts'

/** The content to certify for a passport. */
export interface CertificationSubject {
  passport: string
  content: CertifiedContent
}

/** A version of a passport's credential in both forms, as the bytes that are served. */
export interface IssuedCredential {
  passport: string
  contentHash: string
  key: string
  validFrom: Date
  ld: Buffer
  jwt: Buffer
  /** IPFS content identifier of the bytes of `ld`. */
  cid: string
  statusPair: string
  statusIndex: number
}

/** Returns the address where a passport's credential is read; it is the identifier of the credential. */
export const getCredentialAddress = ({ settings }: Context, passport: string) =>
  `${settings.baseUrl}/v1/dpp/passports/${passport}/vc.jsonld`

/** Returns a passport's public address, which identifies a subject that has no identifier of its own. */
export const getPassportAddress = ({ settings }: Context, passport: string) => `${settings.publicUrl}/p/${passport}`

/**
 * Creates and signs both forms of the credential of each subject, in the caller's transaction. Allocates new positions
 * in the status lists and stores the contexts. Inserts no row per subject: the caller stores the result.
 * @throws VALIDATION_FAILED for content that cannot be certified, before anything is signed; DPP_KEY_ROTATION_PENDING
 * while the DID document lacks the key
 */
export async function issueCredentials(
  trx: Knex,
  context: Context,
  organization: string,
  subjects: readonly CertificationSubject[],
): Promise<IssuedCredential[]> {
  if (subjects.length === 0) return []
  const forbiddenTerms = await readProtectedTerms(trx)
  for (const { content } of subjects) assertCertifiable(content, forbiddenTerms)
  const key = await readIssuingKey(trx, context, organization)
  const positions = await allocateStatusPositions(
    trx,
    context,
    { organization, did: key.did, key: key.id },
    subjects.length,
  )
  const contexts = new Map<string, ContextDocument>()
  const validFrom = context.clock.now()
  const issued: IssuedCredential[] = []
  for (const [at, { passport, content }] of subjects.entries()) {
    const position = positions[at]
    if (!position) throw new Error('There are fewer places in the status lists than credentials')
    const { credential, document } = createUnsignedCredential(context, content, {
      id: getCredentialAddress(context, passport),
      subject: getPassportAddress(context, passport),
      issuer: key.issuer,
      validFrom,
    })
    if (document) contexts.set(document.sha256, document)
    issued.push({
      passport,
      contentHash: hashContent(content),
      key: key.id,
      validFrom,
      ...(await secureCredential(credential, key, validFrom, position)),
      statusPair: position.pair,
      statusIndex: position.index,
    })
  }
  await insertContexts(trx, contexts.values())
  return issued
}

/**
 * Creates an unsigned credential, with its own context if it needs one.
 * @throws VALIDATION_FAILED if the credential is malformed
 */
function createUnsignedCredential(
  context: Context,
  content: CertifiedContent,
  envelope: Omit<CredentialEnvelope, 'context'>,
) {
  const document = createContextDocument(content, context.settings.baseUrl)
  const plain = createCredential(content, {
    ...envelope,
    context: document && getContextAddress(context, document.sha256),
  })
  const credential = document?.hasUnmappableKeys ? addUndefinedTermsContext(plain) : plain
  assertValidCredential(credential, 'credential')
  return { credential, document }
}

function assertCertifiable(content: CertifiedContent, forbiddenTerms: ReadonlySet<string>): void {
  const issues = validateCertifiedContent(content, forbiddenTerms)
  if (issues.length > 0) throw createValidationProblem(issues)
}

async function secureCredential(credential: Credential, key: SigningKey, validFrom: Date, position: StatusPosition) {
  const ld = Buffer.from(JSON.stringify(await addProof(addStatusEntries(credential, position), key, validFrom)))
  return { ld, jwt: Buffer.from(signJwt(addRevocationEntry(credential, position), key)), cid: await createCid(ld) }
}

/**
 * Creates a signed credential of a passport that does not exist yet. It has its own UUID as identifier and no status,
 * because nothing could revoke it. Stores only the context that the credential names.
 * @param createContent returns the content for the UUID of the credential
 * @returns bytes of the embedded form
 * @throws VALIDATION_FAILED for content that cannot be certified, DPP_KEY_ROTATION_PENDING while the DID document lacks
 * the key
 */
export async function createDetachedCredential(
  trx: Knex,
  context: Context,
  organization: string,
  createContent: (id: string) => CertifiedContent,
): Promise<Buffer> {
  const key = await readIssuingKey(trx, context, organization)
  const name = v4()
  const content = createContent(name)
  assertCertifiable(content, await readProtectedTerms(trx))
  const id = `urn:uuid:${name}`
  const validFrom = context.clock.now()
  const { credential, document } = createUnsignedCredential(context, content, {
    id,
    subject: id,
    issuer: key.issuer,
    validFrom,
  })
  if (document) await insertContexts(trx, [document])
  return Buffer.from(JSON.stringify(await addProof(credential, key, validFrom)))
}
