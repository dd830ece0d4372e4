import { type CheckResult, runCheck, type SecuredCheck, VerificationError } from '../formats/index.ts'
import type { SecuredCredential } from './verify.input.ts'
import { getIssuerId, verifyProofs } from './verify.proof.ts'
import type { VerificationFetcher } from '../contexts/index.ts'
import { checkRelatedResources } from './verify.related.ts'
import { checkStatus, type StatusListPosition } from './verify.status.ts'
import { checkValidity } from './verify.times.ts'

/** What this installation knows about a credential whose identifier is an address of ours. */
export interface CredentialFacts {
  /** The organization whose passport has the identifier as its address; only this organization may be the issuer. */
  organization: string | null
  /** When the given content was anchored on a chain. */
  anchoredAt: Date | null
  /** The position of its status. */
  statusPosition: StatusListPosition | null
}

export const unknownCredentialFacts: CredentialFacts = { organization: null, anchoredAt: null, statusPosition: null }

/**
 * Verifies a secured credential by itself: proof, issuer, key, status and validity, in this order. Related resources
 * count towards the proof: it covers their digests, so a wrong resource breaks it. A failed check is a result and is
 * never thrown; every error that is thrown is a fault of this installation.
 */
export async function verifySecuredCredential(
  fetcher: VerificationFetcher,
  secured: SecuredCredential,
  facts: CredentialFacts,
): Promise<CheckResult<SecuredCheck>[]> {
  const { credential } = secured
  const { proof, issuer, key, organization } = await verifyProofs(fetcher, secured, facts.anchoredAt)
  const status = await runCheck('status', () =>
    checkStatus(fetcher, credential, {
      form: secured.form,
      issuer: getIssuerId(credential) ?? '',
      organization,
      statusPosition: facts.statusPosition,
    }),
  )
  // Related resources come last, so that their requests leave enough of the limits for the status.
  const proofResult =
    proof.ok === true
      ? await runCheck('proof', async () => proof.detail + (await checkRelatedResources(fetcher, credential)))
      : proof
  return [
    proofResult,
    issuer.ok === true ? await runCheck('issuer', () => checkOwner(issuer.detail, organization, facts)) : issuer,
    key,
    status,
    await runCheck('validity', () => checkValidity(credential, fetcher.context.clock.now())),
  ]
}

/**
 * Checks the owner of the address: only the organization itself issues credentials at the addresses of its passports.
 * @throws VerificationError
 */
function checkOwner(detail: string, organization: string | null | undefined, facts: CredentialFacts): string {
  if (facts.organization !== null && facts.organization !== organization) {
    throw new VerificationError('It goes by the address of a passport whose organization did not issue it')
  }
  return detail
}
