import type { Violation } from '../../kernel/problem.ts'

/** A problem as W3C names it. Source: RFC 9457; VC Data Model 2.0, section 7.2; Data Integrity 1.0, section 4.7. */
export interface VcProblem { type: string; title: string; detail: string }

const ofModel = (title: string) => ({ type: `https://www.w3.org/TR/vc-data-model#${title}`, title })
const ofProofs = (title: string) => ({ type: `https://w3id.org/security#${title}`, title })
const ofStatus = (title: string) => ({ type: `https://www.w3.org/ns/credentials/status-list#${title}`, title })

/** What a check that does not hold is called. */
const byCheck: Record<string, Omit<VcProblem, 'detail'>> = {
  proof: ofProofs('PROOF_VERIFICATION_ERROR'),
  challenge: ofProofs('INVALID_CHALLENGE_ERROR'),
  domain: ofProofs('INVALID_DOMAIN_ERROR'),
  issuer: ofModel('CRYPTOGRAPHIC_SECURITY_ERROR'),
  holder: ofModel('CRYPTOGRAPHIC_SECURITY_ERROR'),
  key: ofModel('CRYPTOGRAPHIC_SECURITY_ERROR'),
  status: ofStatus('STATUS_VERIFICATION_ERROR'),
  validity: ofModel('RANGE_ERROR'),
}

/** What speaks against a credential or presentation: each check that does not hold and counts. */
export const problemsOf = (checks: readonly { check: string; ok: boolean | null; detail: string }[]): VcProblem[] =>
  checks.flatMap(({ check, ok, detail }) =>
    ok || check === 'schema' ? [] : [{ ...(byCheck[check] ?? ofModel('CRYPTOGRAPHIC_SECURITY_ERROR')), detail: `${check}: ${detail}` }])

/** A member that is malformed. */
export const malformed = ({ path, message }: Violation): VcProblem =>
  ({ ...ofModel('MALFORMED_VALUE_ERROR'), detail: `${path} ${message}` })
