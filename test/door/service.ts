import { createValidationProblem } from '../../core/kernel/problem.ts'
import type { Context } from '../../core/kernel/work.ts'
import { vcApiForms, getRequestedForm, issueVcApiCredential } from './issue.ts'
import { ensureVcApiOrganization } from './organization.ts'
import {
  verifySecuredPresentation,
  parseSecuredPresentation,
  type PresentationRequest,
  type SecuredPresentation,
} from './presentations.ts'
import { createMalformedValueProblem, createVcProblems, type VcProblem } from './problems.ts'
import { readSigningKey } from '../../core/features/certification/keys/index.ts'
import { combineOutcomes, isObject, type JsonObject, toList } from '../../core/features/certification/formats/index.ts'
import {
  getIssuerId,
  parseSecuredCredential,
  type SecuredCredential,
} from '../../core/features/certification/verify/index.ts'
import { VerificationFetcher } from '../../core/features/certification/contexts/index.ts'

/** The result of the product's verification; `verified` is null if it has no result. */
interface CredentialResult {
  verified: boolean | null
  checks: { check: string; ok: boolean | null; detail: string }[]
}

/** The function with which the product verifies a credential. */
export type CredentialVerifier = (fetcher: VerificationFetcher, secured: SecuredCredential) => Promise<CredentialResult>

/** The result of the VC-API, which knows two verdicts only: a verification without a result is not verified. */
interface VcApiResult extends CredentialResult {
  verified: boolean
  problemDetails: VcProblem[]
  /** Only for a presentation: the result of each credential in it. */
  credentialResults?: CredentialResult[]
}

/** Limits of one presentation: credentials, and requests to other hosts for all of them. */
const limits = { maxCredentials: 16, fetcher: { maxRequests: 16, timeoutMs: 20_000 } }

/**
 * Creates the service that a foreign test suite calls to issue and to verify credentials, in the terms of the W3C
 * VC-API. It uses the code with which the product itself issues and verifies, and stores nothing except the positions
 * that it takes in status lists.
 * @param verify the product's verification of a credential
 */
export function createVcApiService(context: Context, verify: CredentialVerifier) {
  let organizationPromise: Promise<string> | undefined
  const getOrganization = () =>
    (organizationPromise ??= ensureVcApiOrganization(context).catch((cause: unknown) => {
      organizationPromise = undefined
      throw cause
    }))
  return {
    forms: vcApiForms,
    toVcProblem: createMalformedValueProblem,
    async describeIssuer() {
      const { did, issuer } = await readSigningKey(context.db, context, await getOrganization())
      return { issuer: did, name: issuer.name, cryptosuites: vcApiForms.slice(0, 2), forms: vcApiForms }
    },
    async issueCredential(
      { credential, options }: JsonObject,
      wish: { form: string | null; accept: string | undefined },
    ): Promise<JsonObject> {
      return issueVcApiCredential(
        context,
        await getOrganization(),
        credential,
        getRequestedForm(isObject(options) ? options : {}, wish),
      )
    },
    async verifyCredential({ verifiableCredential: input }: JsonObject): Promise<VcApiResult> {
      const result = await verify(
        new VerificationFetcher(context),
        parseSecuredCredential(input, 'verifiableCredential'),
      )
      return { ...result, verified: result.verified === true, problemDetails: createVcProblems(result.checks) }
    },
    verifyPresentation: ({ verifiablePresentation, presentation, options }: JsonObject): Promise<VcApiResult> => {
      const path =
        verifiablePresentation === undefined && presentation !== undefined ? 'presentation' : 'verifiablePresentation'
      const securedPresentation = parseSecuredPresentation(verifiablePresentation ?? presentation, path)
      return verifyPresentationWithCredentials(new VerificationFetcher(context, limits.fetcher), securedPresentation, {
        path,
        request: parsePresentationRequest(options),
        verify,
      })
    },
  }
}

/** Parses the request of a verifier. @throws VALIDATION_FAILED if challenge or domain is no text */
function parsePresentationRequest(options: unknown): PresentationRequest {
  const { challenge, domain } = isObject(options) ? options : {}
  const parseText = (name: string, value: unknown) => {
    if (value === undefined || typeof value === 'string') return value
    throw createValidationProblem([{ path: `options.${name}`, code: 'type', message: 'must be text' }])
  }
  return { challenge: parseText('challenge', challenge), domain: parseText('domain', domain) }
}

/**
 * Verifies a presentation with its credentials. It is verified if all its checks pass, all its credentials are
 * verified, and it has a signature or a credential.
 */
async function verifyPresentationWithCredentials(
  fetcher: VerificationFetcher,
  securedPresentation: SecuredPresentation,
  { path, request, verify }: { path: string; request: PresentationRequest; verify: CredentialVerifier },
): Promise<VcApiResult> {
  const credentials = toList(securedPresentation.presentation['verifiableCredential'])
  if (credentials.length > limits.maxCredentials) {
    throw createValidationProblem([
      {
        path: `${path}.verifiableCredential`,
        code: 'too_many',
        message: `has more than ${limits.maxCredentials} credentials`,
      },
    ])
  }
  const secured = credentials.map((one, at) => parseSecuredCredential(one, `${path}.verifiableCredential[${at}]`))
  const { checks, signers } = await verifySecuredPresentation(fetcher, securedPresentation, request)
  if (signers.length === 0 && secured.length === 0) {
    checks.push({ check: 'proof', ok: false, detail: 'It is neither signed nor has a credential: it shows nothing' })
  }
  const isProven = checks.every(({ ok }) => ok === true)
  const credentialResults: CredentialResult[] = []
  for (const one of secured) {
    const found = await verify(fetcher, one)
    credentialResults.push(isProven && isSelfAsserted(one, signers) ? markSelfAsserted(found) : found)
  }
  return {
    verified: isProven && credentialResults.every(({ verified }) => verified === true),
    checks,
    credentialResults,
    problemDetails: [
      ...createVcProblems(checks),
      ...credentialResults.flatMap((found) => createVcProblems(found.checks)),
    ],
  }
}

/**
 * Checks whether a signer of the presentation issued this credential; it then needs no proof of its own. Source: Data
 * Model 2.0, section 4.13.3.
 */
const isSelfAsserted = ({ form, credential }: SecuredCredential, signers: readonly string[]): boolean =>
  form === 'ld' && credential['proof'] === undefined && signers.includes(getIssuerId(credential) ?? '')

const securingChecks = ['proof', 'issuer', 'key']

function markSelfAsserted({ checks }: CredentialResult): CredentialResult {
  const detail = 'Its issuer presents it: the presentation secures it'
  const asserted = checks.map((one) => (securingChecks.includes(one.check) ? { ...one, ok: true, detail } : one))
  const countedChecks = asserted.filter(({ check }) => check !== 'schema')
  return { verified: combineOutcomes(countedChecks.map(({ ok }) => ok)), checks: asserted }
}
