/** Whom a statement binds. */
export type RequirementBearer = 'issuer' | 'verifier' | 'both'

/** The specifications of W3C whose lists these are. */
export type Specification =
  | 'Verifiable Credentials Data Model 2.0'
  | 'Verifiable Credential Data Integrity 1.0'
  | 'Data Integrity EdDSA Cryptosuites 1.0'
  | 'Securing Verifiable Credentials using JOSE and COSE'
  | 'Bitstring Status List 1.0'

interface Statement {
  spec: Specification
  /** Its number in the Recommendation, as `4.4`. */
  section: string
  who: RequirementBearer
  /** What is demanded, in our own words: one sentence. */
  says: string
}

/**
 * A MUST or MUST NOT that concerns issuers or verifiers, with what provokes it: a file below test/core/certification or
 * test/door and the title of the test, `model.test.ts: refuses …`. What does not concern this product has the reason
 * instead.
 */
export type Requirement = Statement & ({ test: string; notOurs?: never } | { notOurs: string; test?: never })

/** Statements of one section, each as what it says and the test, or the reason after `not ours: `. */
export function createSection(
  spec: Specification,
  number: string,
  who: RequirementBearer,
  rows: readonly (readonly [says: string, shown: string])[],
): Requirement[] {
  return rows.map(([says, shown]) => {
    const statement = { spec, section: number, who, says }
    return shown.startsWith(notOurs)
      ? { ...statement, notOurs: shown.slice(notOurs.length) }
      : { ...statement, test: shown }
  })
}

const notOurs = 'not ours: '
