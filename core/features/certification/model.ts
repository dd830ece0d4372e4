import { invalid } from '../../kernel/problem.ts'
import { baseContext } from './contexts.terms.ts'
import { isOfFirstModel, judgeContexts } from './model.contexts.ts'
import { below, Faults } from './model.faults.ts'
import {
  judgeId, judgeObjects, judgeParty, judgePeriod, judgeTexts, judgeTypes, periods, type Bench,
} from './model.members.ts'
import { judgeRelated } from './model.related.ts'
import { asList, type Json } from './verify.doubt.ts'

/** Members whose objects say what they are. Source: sections 4.5, 4.10, 4.11, 5.4 to 5.6 and 5.10. */
const typed = [
  'credentialStatus', 'credentialSchema', 'refreshService', 'termsOfUse', 'evidence', 'confidenceMethod', 'renderMethod',
]
/** Members whose objects have an id in any case, by version. Source: Data Model 2.0, section 4.11; 1.1, sections 4.9, 5.4, 5.5. */
const named = { first: ['credentialStatus', 'credentialSchema', 'refreshService'], second: ['credentialSchema'] }

/**
 * Judges a credential by the W3C Verifiable Credentials Data Model 2.0, as its issuer and as its verifier: all that the
 * specification demands of the members that it defines. What secures the credential, what its subjects claim, and
 * whether it meets a `credentialSchema` is not judged: the last is validation, for which the specification has no
 * demands. Nothing is fetched: what contexts by address map is left to the expansion of proofs that need it. A
 * credential whose first context is that of the Data Model 1.1 is judged by the same demands of that version: many live
 * on, and a verifier that took its `expirationDate` for nothing would find good what is over.
 * @param path of the credential; `body` where it stands by itself
 * @throws VALIDATION_FAILED with every fault, at most 100
 * Source: W3C Verifiable Credentials Data Model 2.0, sections 4 and 5; what each statement is provoked by is listed in
 * test/core/certification/musts/data-model.ts
 */
export function refuseMalformed(credential: Json, path: string): void {
  refuse((faults) => judgeCredential(credential, path, faults))
}

/** The same of a presentation, with the credentials in it. Source: section 4.13. @throws VALIDATION_FAILED */
export function refuseMalformedPresentation(presentation: Json, path: string): void {
  refuse((faults) => {
    const bench = { faults, terms: judgeContexts(presentation, path, faults) }
    if (isOfFirstModel(presentation)) {
      faults.add(below(below(path, '@context'), 0), 'data_model_1', `must be ${baseContext}: no presentation of 1.1 is judged here`)
    }
    judgeKind(presentation, 'VerifiablePresentation', path, bench)
    judgeId(presentation, path, bench)
    if (presentation['holder'] !== undefined) judgeParty(presentation, 'holder', path, bench)
    judgeObjects(presentation, 'verifiableCredential', path, bench, (one, at) => judgeEither(one, at, faults))
    judgeTyped(presentation, 'termsOfUse', path, bench)
    judgeProofs(presentation, path, bench)
  })
}

export type Envelope = 'EnvelopedVerifiableCredential' | 'EnvelopedVerifiablePresentation'

/** The object around a secured credential or presentation. Source: sections 4.13.1 and 4.13.2. @throws VALIDATION_FAILED */
export function refuseMalformedEnvelope(envelope: Json, type: Envelope, path: string): void {
  refuse((faults) => judgeEnvelope(envelope, type, path, faults))
}

function refuse(judge: (faults: Faults) => void): void {
  const faults = new Faults()
  judge(faults)
  if (faults.found.length > 0) throw invalid(faults.found)
}

function judgeEither(one: Json, path: string, faults: Faults): void {
  const type = 'EnvelopedVerifiableCredential'
  if (asList(one['type']).includes(type)) judgeEnvelope(one, type, path, faults)
  else judgeCredential(one, path, faults)
}

function judgeCredential(credential: Json, path: string, faults: Faults): void {
  const bench = { faults, terms: judgeContexts(credential, path, faults) }
  judgeKind(credential, 'VerifiableCredential', path, bench)
  judgeId(credential, path, bench)
  const version = isOfFirstModel(credential) ? 'first' : 'second'
  if (version === 'second') judgeTexts(credential, path, faults)
  judgeNeeded(credential, 'issuer', path, faults)
  if (credential['issuer'] !== undefined) judgeParty(credential, 'issuer', path, bench)
  judgePeriod(credential, periods.second, path, faults)
  if (version === 'first') judgeNeeded(credential, 'issuanceDate', path, faults)
  if (version === 'first') judgePeriod(credential, periods.first, path, faults)
  judgeSubjects(credential, path, bench)
  for (const name of typed) judgeTyped(credential, name, path, bench, named[version].includes(name))
  if (version === 'second') judgeRelated(credential, path, bench)
  judgeProofs(credential, path, bench)
  if (version === 'second') refuseEarlier(credential, path, bench)
}

function judgeNeeded(holder: Json, name: string, path: string, faults: Faults): void {
  if (holder[name] === undefined) faults.add(below(path, name), 'required', 'is missing')
}

/** Dates of version 1.1 mean nothing in this one, unless a context has it so: their writer meant that they do. */
function refuseEarlier(credential: Json, path: string, { faults, terms }: Bench): void {
  for (const [at, name] of periods.first.entries()) {
    if (credential[name] === undefined || terms.defines(name)) continue
    faults.add(below(path, name), 'data_model_1', `is of the Data Model 1.1; in 2.0 it is ${periods.second[at]}`)
  }
}

const kinds = { VerifiableCredential: 'credential', VerifiablePresentation: 'presentation' }

function judgeKind(holder: Json, type: keyof typeof kinds, path: string, bench: Bench): void {
  if (asList(holder['type']).includes(type)) return judgeTypes(holder, path, bench)
  const kind = kinds[type]
  bench.faults.add(below(path, 'type'), `not_a_${kind}`, `must name ${type}: without it this is no ${kind}`)
}

/** Source: section 4.8. */
function judgeSubjects(credential: Json, path: string, bench: Bench): void {
  const name = 'credentialSubject'
  judgeNeeded(credential, name, path, bench.faults)
  judgeObjects(credential, name, path, bench, (subject, at) => {
    if (Object.keys(subject).length === 0) bench.faults.add(at, 'empty', 'must claim something of its subject')
    judgeId(subject, at, bench)
    judgeTyped(subject, 'confidenceMethod', at, bench)
  })
}

function judgeTyped(holder: Json, name: string, path: string, bench: Bench, isNamed = false): void {
  judgeObjects(holder, name, path, bench, (one, at) => {
    judgeTypes(one, at, bench)
    judgeId(one, at, bench, isNamed ? 'required' : 'optional')
  })
}

/** That proofs are objects of some type; of which, and whether they hold, is for who judges proofs. */
function judgeProofs(holder: Json, path: string, { faults }: Bench): void {
  // Terms of proofs are those of their suites.
  const bench = { faults, terms: { defines: () => true } }
  judgeObjects(holder, 'proof', path, bench, (proof, at) => judgeTypes(proof, at, bench))
}

function judgeEnvelope(envelope: Json, type: Envelope, path: string, faults: Faults): void {
  const { '@context': context, id } = envelope
  const tell = (name: string, code: string, message: string) => faults.add(below(path, name), code, message)
  if (context === undefined) tell('@context', 'required', 'is missing')
  else if (!asList(context).includes(baseContext)) tell('@context', 'base_context', `must have ${baseContext}`)
  if (!asList(envelope['type']).every((one) => one === type)) tell('type', 'type', `must be ${type} and nothing else`)
  if (id === undefined) tell('id', 'required', 'is missing')
  else if (typeof id !== 'string' || !/^data:[^,]+,./.test(id)) tell('id', 'url', 'must be a data: URL with what it envelops')
}

