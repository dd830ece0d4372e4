import {
  combineOutcomes,
  runCheck,
  type VerificationFetcher,
  toVerdict,
  verifySecuredCredential,
  type SecuredCredential,
} from '../../certification/index.ts'
import type { Check, Verification } from '../readiness/index.ts'
import { findAnchor, type ServedFor } from './verify.anchor.ts'
import { checkSchema } from './verify.schema.ts'

/**
 * Verifies a secured credential: proof, issuer, key, status, validity, anchor and schema, in this order. It is verified
 * if all checks but `schema` hold; `schema` is only reported. The result is unknown if no check fails but one cannot be
 * decided.
 * @param served the passport and version for which the credential is served, if they are known
 */
export async function verifyCredential(
  reach: VerificationFetcher,
  secured: SecuredCredential,
  served?: ServedFor,
): Promise<Verification> {
  const { known, describeReceipt, newer } = await findAnchor(reach.context, secured, served)
  const checks: Check[] = [
    ...(await verifySecuredCredential(reach, secured, known)),
    await runCheck('anchor', describeReceipt),
    await runCheck('schema', () => checkSchema(secured.credential)),
  ]
  const verified = combineOutcomes(checks.filter(({ check }) => check !== 'schema').map(({ ok }) => ok))
  return { verified, verdict: toVerdict(verified), superseded: newer !== null, newer, checks }
}
