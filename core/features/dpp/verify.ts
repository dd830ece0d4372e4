import { combineOutcomes, judged, type Reach, verdictOf, verifySecured, type Secured } from '../certification/index.ts'
import type { Check, Verification } from './open.types.ts'
import { anchorOf, type ServedFor } from './verify.anchor.ts'
import { schemaOf } from './verify.schema.ts'

/**
 * Judges a secured credential: proof, issuer, key, status, validity, anchor and schema, in this order. It is verified
 * where all hold but the schema, which is told only; unknown where none fails and one cannot be judged. @param served whose it is, where that is known
 */
export async function verifyCredential(reach: Reach, secured: Secured, served?: ServedFor): Promise<Verification> {
  const { known, look, newer } = await anchorOf(reach.context, secured, served)
  const checks: Check[] = [
    ...(await verifySecured(reach, secured, known)),
    await judged('anchor', look),
    await judged('schema', () => schemaOf(secured.credential)),
  ]
  const verified = combineOutcomes(checks.filter(({ check }) => check !== 'schema').map(({ ok }) => ok))
  return { verified, verdict: verdictOf(verified), superseded: newer !== null, newer, checks }
}
