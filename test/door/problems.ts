import type { Issue } from '../../core/kernel/problem.ts'

/** A problem as W3C defines it. Source: RFC 9457; VC Data Model 2.0, section 7.2; Data Integrity 1.0, section 4.7. */
export interface VcProblem {
  type: string
  title: string
  detail: string
}

const createModelProblemType = (title: string) => ({ type: `https://www.w3.org/TR/vc-data-model#${title}`, title })
const createProofProblemType = (title: string) => ({ type: `https://w3id.org/security#${title}`, title })
const createStatusProblemType = (title: string) => ({
  type: `https://www.w3.org/ns/credentials/status-list#${title}`,
  title,
})

/** Problem types of the checks that failed. */
const problemTypesByCheck: Record<string, Omit<VcProblem, 'detail'>> = {
  proof: createProofProblemType('PROOF_VERIFICATION_ERROR'),
  challenge: createProofProblemType('INVALID_CHALLENGE_ERROR'),
  domain: createProofProblemType('INVALID_DOMAIN_ERROR'),
  issuer: createModelProblemType('CRYPTOGRAPHIC_SECURITY_ERROR'),
  holder: createModelProblemType('CRYPTOGRAPHIC_SECURITY_ERROR'),
  key: createModelProblemType('CRYPTOGRAPHIC_SECURITY_ERROR'),
  status: createStatusProblemType('STATUS_VERIFICATION_ERROR'),
  validity: createModelProblemType('RANGE_ERROR'),
}

/** Creates a problem for each check that did not pass, except the schema check, which does not count. */
export const createVcProblems = (
  checks: readonly { check: string; ok: boolean | null; detail: string }[],
): VcProblem[] =>
  checks.flatMap(({ check, ok, detail }) =>
    ok || check === 'schema'
      ? []
      : [
          {
            ...(problemTypesByCheck[check] ?? createModelProblemType('CRYPTOGRAPHIC_SECURITY_ERROR')),
            detail: `${check}: ${detail}`,
          },
        ],
  )

/** Creates the problem of a malformed member. */
export const createMalformedValueProblem = ({ path, message }: Issue): VcProblem => ({
  ...createModelProblemType('MALFORMED_VALUE_ERROR'),
  detail: `${path} ${message}`,
})
