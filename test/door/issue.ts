import { createValidationProblem } from '../../core/kernel/problem.ts'
import type { Context } from '../../core/kernel/work.ts'
import {
  isObject,
  type JsonObject,
  negotiateMediaType,
  toList,
  VerificationError,
} from '../../core/features/certification/formats/index.ts'
import {
  addStatusEntries,
  baseContext,
  createContextLoader,
  type Credential,
  VerificationFetcher,
} from '../../core/features/certification/contexts/index.ts'
import {
  addProof,
  type Canonizer,
  cryptosuites,
  runWithCanonizer,
  signJwt,
} from '../../core/features/certification/suites/index.ts'
import { readIssuingKey } from '../../core/features/certification/keys/index.ts'
import { assertValidCredential, isDataModel1 } from '../../core/features/certification/model/index.ts'
import { allocateStatusPositions } from '../../core/features/certification/status-lists/index.ts'
import { assertDigestsMatch } from '../../core/features/certification/verify/index.ts'

/** The forms of a secured credential, by their names in addresses and options. The first is the default. */
export const vcApiForms = [...cryptosuites, 'vc+jwt'] as const
export type VcApiForm = (typeof vcApiForms)[number]

/** Maximum length of a credential that is expanded; a verification has the same limit. */
const maxExpandedLength = 256 * 1024

/**
 * Returns the requested form: from the path, else from `options.cryptosuite`, else from `options.format` or
 * `options.type` (`vc+jwt`), else `vc+jwt` if the Accept header prefers `application/vc+jwt`.
 * @throws VALIDATION_FAILED for an unknown form
 */
export function getRequestedForm(
  options: JsonObject,
  { form, accept }: { form: string | null; accept: string | undefined },
): VcApiForm {
  const { cryptosuite, type, format } = options
  const requested = form ?? cryptosuite ?? format ?? (type === 'DataIntegrityProof' ? undefined : type)
  if (requested === undefined)
    return negotiateMediaType(accept, ['application/json', 'application/vc+jwt']) === 'application/vc+jwt'
      ? 'vc+jwt'
      : vcApiForms[0]
  const found = vcApiForms.find((one) => one === requested || `application/${one}` === requested)
  if (found === undefined) {
    const member = cryptosuite !== undefined ? 'cryptosuite' : format !== undefined ? 'format' : 'type'
    throw createValidationProblem([
      { path: `options.${member}`, code: 'unknown_suite', message: `must be one of ${vcApiForms.join(', ')}` },
    ])
  }
  return found
}

/**
 * Issues a credential that a test suite sent, with the code that issues our own.
 * - The issuer becomes the organization of the test door, whichever issuer was named, because a suite does not know it;
 *   an issuer that is an object keeps its other members.
 * - The credential gets a status in the organization's lists, unless it has a status.
 * - Its contexts must map each of its terms in every form: a reader of RDF would lose an unmapped term.
 * - A credential of the Data Model 1.1, which has no terms for proofs and for such a status, gets the context of the
 *   proof and no status; it cannot be issued as a token.
 * @returns the credential; a token comes in its envelope
 * @throws VALIDATION_FAILED if the credential is malformed
 * Source: W3C Verifiable Credentials Data Model 2.0, sections 4.7, 4.10 and 4.13.1; Data Integrity 1.0, section 2.4.2
 */
export async function issueVcApiCredential(
  context: Context,
  organization: string,
  input: unknown,
  form: VcApiForm,
): Promise<JsonObject> {
  const credential = await prepareCredential(context, input, form)
  return runWithCanonizer(createContextLoader(new VerificationFetcher(context)), async (canonize) => {
    await assertTermsMapped(credential, canonize)
    const { key, place: position } = await context.db.transaction(async (trx) => {
      const key = await readIssuingKey(trx, context, organization)
      const [position] =
        credential['credentialStatus'] === undefined && !isDataModel1(credential)
          ? await allocateStatusPositions(trx, context, { organization, did: key.did, key: key.id }, 1)
          : []
      return { key, place: position }
    })
    const { issuer } = credential
    const ownCredential: Credential = { ...credential, issuer: isObject(issuer) ? { ...issuer, id: key.did } : key.did }
    const complete = position ? addStatusEntries(ownCredential, position) : ownCredential
    if (form === 'vc+jwt') return createEnvelopedCredential(signJwt(complete, key))
    return addProof(complete, key, context.clock.now(), form === 'eddsa-rdfc-2022' ? canonize : undefined)
  }).catch((cause: unknown) => {
    throw cause instanceof VerificationError ? createInvalidCredentialProblem(cause.message) : cause
  })
}

async function prepareCredential(context: Context, input: unknown, form: VcApiForm): Promise<JsonObject> {
  if (!isObject(input))
    throw createValidationProblem([
      { path: 'credential', code: 'required', message: 'must be a credential: an object' },
    ])
  assertValidCredential(input, 'credential')
  if (input['proof'] !== undefined) {
    throw createValidationProblem([
      { path: 'credential.proof', code: 'secured', message: 'must not be there: the credential is to be secured here' },
    ])
  }
  if (JSON.stringify(input).length > maxExpandedLength)
    throw createInvalidCredentialProblem(`has more than ${maxExpandedLength} characters`)
  await assertDigestsMatch(context, input, 'credential')
  if (!isDataModel1(input)) return input
  if (form === 'vc+jwt')
    throw createInvalidCredentialProblem('is of the Data Model 1.1, which is not secured as vc+jwt')
  const contexts = toList(input['@context'])
  return contexts.includes(proofContext) ? input : { ...input, '@context': [...contexts, proofContext] }
}

/** The context of proofs. Source: W3C Data Integrity 1.0, section 2.4.2, "context injection". */
const proofContext = 'https://w3id.org/security/data-integrity/v2'

/** Checks that the contexts map every term. @throws VALIDATION_FAILED if the conversion to RDF would lose something */
async function assertTermsMapped(credential: JsonObject, canonize: Canonizer): Promise<void> {
  await canonize(credential).catch((cause: Error & { term?: string | null }) => {
    if (cause instanceof VerificationError) throw cause
    const suffix = typeof cause.term === 'string' ? `: ${cause.term}` : ''
    throw createInvalidCredentialProblem(
      cause.name === 'jsonld.ValidationError'
        ? `has a term that none of its contexts maps${suffix}`
        : 'has contexts that cannot be applied',
    )
  })
}

const createInvalidCredentialProblem = (message: string) =>
  createValidationProblem([{ path: 'credential', code: 'not_expandable', message }])

/** Wraps a token in its envelope. Source: VC-JOSE-COSE, section 3.1.1; Data Model 2.0, section 4.13.1. */
const createEnvelopedCredential = (token: string): JsonObject => ({
  '@context': [baseContext],
  id: `data:application/vc+jwt,${token}`,
  type: 'EnvelopedVerifiableCredential',
})
