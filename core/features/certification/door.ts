import { invalid } from '../../kernel/problem.ts'
import type { Context } from '../../kernel/work.ts'
import { doorForms, formAsked, issueAtDoor } from './door.issue.ts'
import { doorOrganization } from './door.organization.ts'
import { judgePresented, presentedOf, type Asked, type Presented } from './door.presentations.ts'
import { malformed, problemsOf, type VcProblem } from './door.problems.ts'
import { signingKey } from './keys.ts'
import { asList, combineOutcomes, isObject, type Json } from './verify.doubt.ts'
import { securedOf, type Secured } from './verify.given.ts'
import { issuerIn } from './verify.proof.ts'
import { Reach } from './verify.reach.ts'

/** What the product finds of a credential: null is neither true nor false, as it cannot be judged. */
interface Found { verified: boolean | null; checks: { check: string; ok: boolean | null; detail: string }[] }

/** How the product judges a credential. */
export type VerifyCredential = (reach: Reach, secured: Secured) => Promise<Found>

/** The VC-API knows two verdicts: what cannot be judged is not verified there. */
interface Verdict extends Found {
  verified: boolean
  problemDetails: VcProblem[]
  /** Of a presentation: what was found of each credential in it. */
  credentialResults?: Found[]
}

/** Credentials of one presentation, and what all of them may ask of other hosts. */
const most = { credentials: 16, reach: { most: 16, patience: 20_000 } }

/**
 * What a suite from outside may ask of the product: to issue and to verify, in the words of the W3C VC-API, each by the
 * code that the product itself issues and verifies with. It keeps nothing but the places that it takes in status lists.
 * @param verify how the product judges a credential
 */
export function doorOf(context: Context, verify: VerifyCredential) {
  let known: Promise<string> | undefined
  const organization = () => (known ??= doorOrganization(context).catch((cause: unknown) => {
    known = undefined
    throw cause
  }))
  return {
    forms: doorForms,
    problemOf: malformed,
    async about() {
      const { did, issuer } = await signingKey(context.db, context, await organization())
      return { issuer: did, name: issuer.name, cryptosuites: doorForms.slice(0, 2), forms: doorForms }
    },
    async issue({ credential, options }: Json, wish: { form: string | null; accept: string | undefined }): Promise<Json> {
      return issueAtDoor(context, await organization(), credential, formAsked(isObject(options) ? options : {}, wish))
    },
    async verifyCredential({ verifiableCredential: given }: Json): Promise<Verdict> {
      const found = await verify(new Reach(context), securedOf(given, 'verifiableCredential'))
      return { ...found, verified: found.verified === true, problemDetails: problemsOf(found.checks) }
    },
    verifyPresentation: ({ verifiablePresentation, presentation, options }: Json): Promise<Verdict> => {
      const path = verifiablePresentation === undefined && presentation !== undefined ? 'presentation' : 'verifiablePresentation'
      const presented = presentedOf(verifiablePresentation ?? presentation, path)
      return presentationVerdict(new Reach(context, most.reach), presented, { path, asked: askedIn(options), verify })
    },
  }
}

/** @throws VALIDATION_FAILED for a challenge or domain that is no text */
function askedIn(options: unknown): Asked {
  const { challenge, domain } = isObject(options) ? options : {}
  const text = (name: string, value: unknown) => {
    if (value === undefined || typeof value === 'string') return value
    throw invalid([{ path: `options.${name}`, code: 'type', message: 'must be text' }])
  }
  return { challenge: text('challenge', challenge), domain: text('domain', domain) }
}

/** A presentation holds where what secures it does, and each credential in it, and one of the two is there. */
async function presentationVerdict(
  reach: Reach, presented: Presented, { path, asked, verify }: { path: string; asked: Asked; verify: VerifyCredential },
): Promise<Verdict> {
  const given = asList(presented.presentation['verifiableCredential'])
  if (given.length > most.credentials) {
    throw invalid([{ path: `${path}.verifiableCredential`, code: 'too_many', message: `has more than ${most.credentials} credentials` }])
  }
  const secured = given.map((one, at) => securedOf(one, `${path}.verifiableCredential[${at}]`))
  const { checks, signers } = await judgePresented(reach, presented, asked)
  if (signers.length === 0 && secured.length === 0) {
    checks.push({ check: 'proof', ok: false, detail: 'It is neither signed nor has a credential: it shows nothing' })
  }
  const holds = checks.every(({ ok }) => ok === true)
  const credentialResults: Found[] = []
  for (const one of secured) {
    const found = await verify(reach, one)
    credentialResults.push(holds && isSelfAsserted(one, signers) ? assertedBy(found) : found)
  }
  return {
    verified: holds && credentialResults.every(({ verified }) => verified === true), checks, credentialResults,
    problemDetails: [...problemsOf(checks), ...credentialResults.flatMap((found) => problemsOf(found.checks))],
  }
}

/** Claims of the holder itself need no proof but the presentation's. Source: Data Model 2.0, section 4.13.3. */
const isSelfAsserted = ({ form, credential }: Secured, signers: readonly string[]): boolean =>
  form === 'ld' && credential['proof'] === undefined && signers.includes(issuerIn(credential) ?? '')

const securing = ['proof', 'issuer', 'key']

function assertedBy({ checks }: Found): Found {
  const detail = 'Its issuer presents it: the presentation secures it'
  const asserted = checks.map((one) => (securing.includes(one.check) ? { ...one, ok: true, detail } : one))
  const counting = asserted.filter(({ check }) => check !== 'schema')
  return { verified: combineOutcomes(counting.map(({ ok }) => ok)), checks: asserted }
}
