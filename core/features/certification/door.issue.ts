import { invalid } from '../../kernel/problem.ts'
import type { Context } from '../../kernel/work.ts'
import { negotiate } from './accept.ts'
import { contextLoader } from './contexts.loader.ts'
import { withStatuses, type Credential } from './credential.ts'
import { signJwt } from './jose.ts'
import { issuingKey } from './keys.ts'
import { baseContext } from './contexts.terms.ts'
import { isOfFirstModel } from './model.contexts.ts'
import { refuseMalformed } from './model.ts'
import { expandApart, type Canonize } from './proofs.expand.ts'
import { cryptosuites } from './proofs.libraries.ts'
import { withProof } from './proofs.ts'
import { takePlaces } from './status-lists.ts'
import { asList, Doubt, isObject, type Json } from './verify.doubt.ts'
import { Reach } from './verify.reach.ts'
import { refuseWrongDigests } from './verify.related.ts'

/** Ways to secure a credential, by the names that they have in addresses and options. The first is the usual one. */
export const doorForms = [...cryptosuites, 'vc+jwt'] as const
export type DoorForm = (typeof doorForms)[number]

/** Characters of a credential that is expanded, as of one that is judged. */
const mostExpanded = 256 * 1024

/**
 * Which form is asked for: by the path, else by `options.cryptosuite`, else by `options.type` or `options.format`
 * (`vc+jwt`), else by an Accept header that likes `application/vc+jwt` best. @throws VALIDATION_FAILED for another one
 */
export function formAsked(options: Json, { form, accept }: { form: string | null; accept: string | undefined }): DoorForm {
  const { cryptosuite, type, format } = options
  const named = form ?? cryptosuite ?? format ?? (type === 'DataIntegrityProof' ? undefined : type)
  if (named === undefined) return negotiate(accept, ['application/json', 'application/vc+jwt']) === 'application/vc+jwt' ? 'vc+jwt' : doorForms[0]
  const found = doorForms.find((one) => one === named || `application/${one}` === named)
  if (found === undefined) {
    const member = cryptosuite !== undefined ? 'cryptosuite' : format !== undefined ? 'format' : 'type'
    throw invalid([{ path: `options.${member}`, code: 'unknown_suite', message: `must be one of ${doorForms.join(', ')}` }])
  }
  return found
}

/**
 * Issues what a test suite sent, as the product issues what it certifies: the issuer is the door's organization,
 * whichever well-formed one was named, as suites do not know it (an object keeps its other members); and there is a
 * status in the organization's lists, unless the credential has one. Whatever its form, each of its terms has to be
 * mapped by its contexts: what none maps would be lost to who reads it as RDF. One of the Data Model 1.1, which has no
 * terms for proofs and for such a status, gets the context of the proof and no status; there is no token of it.
 * @returns the credential, enveloped where it is a token. @throws VALIDATION_FAILED for what is malformed
 * Source: W3C Verifiable Credentials Data Model 2.0, sections 4.7, 4.10 and 4.13.1; Data Integrity 1.0, section 2.4.2
 */
export async function issueAtDoor(context: Context, organization: string, given: unknown, form: DoorForm): Promise<Json> {
  const credential = await judged(context, given, form)
  return expandApart(contextLoader(new Reach(context)), async (canonize) => {
    await refuseUnmapped(credential, canonize)
    const { key, place } = await context.db.transaction(async (trx) => {
      const key = await issuingKey(trx, context, organization)
      const [place] = credential['credentialStatus'] === undefined && !isOfFirstModel(credential)
        ? await takePlaces(trx, context, { organization, did: key.did, key: key.id }, 1) : []
      return { key, place }
    })
    const { issuer } = credential
    const own: Credential = { ...credential, issuer: isObject(issuer) ? { ...issuer, id: key.did } : key.did }
    const whole = place ? withStatuses(own, place) : own
    if (form === 'vc+jwt') return enveloped(signJwt(whole, key))
    return withProof(whole, key, context.clock.now(), form === 'eddsa-rdfc-2022' ? canonize : undefined)
  }).catch((cause: unknown) => { throw cause instanceof Doubt ? refused(cause.message) : cause })
}

async function judged(context: Context, given: unknown, form: DoorForm): Promise<Json> {
  if (!isObject(given)) throw invalid([{ path: 'credential', code: 'required', message: 'must be a credential: an object' }])
  refuseMalformed(given, 'credential')
  if (given['proof'] !== undefined) {
    throw invalid([{ path: 'credential.proof', code: 'secured', message: 'must not be there: the credential is to be secured here' }])
  }
  if (JSON.stringify(given).length > mostExpanded) throw refused(`has more than ${mostExpanded} characters`)
  await refuseWrongDigests(context, given, 'credential')
  if (!isOfFirstModel(given)) return given
  if (form === 'vc+jwt') throw refused('is of the Data Model 1.1, which is not secured as vc+jwt')
  const contexts = asList(given['@context'])
  return contexts.includes(proofContext) ? given : { ...given, '@context': [...contexts, proofContext] }
}

/** Source: W3C Data Integrity 1.0, section 2.4.2, "context injection". */
const proofContext = 'https://w3id.org/security/data-integrity/v2'

/** @throws VALIDATION_FAILED where no RDF can be made of it without a loss */
async function refuseUnmapped(credential: Json, canonize: Canonize): Promise<void> {
  await canonize(credential).catch((cause: Error & { term?: string | null }) => {
    if (cause instanceof Doubt) throw cause
    const named = typeof cause.term === 'string' ? `: ${cause.term}` : ''
    throw refused(cause.name === 'jsonld.ValidationError' ? `has a term that none of its contexts maps${named}` : 'has contexts that cannot be applied')
  })
}

const refused = (message: string) => invalid([{ path: 'credential', code: 'not_expandable', message }])

/** Source: VC-JOSE-COSE, section 3.1.1; Data Model 2.0, section 4.13.1. */
const enveloped = (token: string): Json =>
  ({ '@context': [baseContext], id: `data:application/vc+jwt,${token}`, type: 'EnvelopedVerifiableCredential' })
