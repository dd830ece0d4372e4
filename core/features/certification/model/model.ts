import { createValidationProblem } from '../../../kernel/problem.ts'
import { baseContext } from '../contexts/index.ts'
import { isDataModel1, validateContexts } from './model.contexts.ts'
import { joinPath, IssueCollector } from './model.issues.ts'
import {
  validateId,
  validateObjects,
  validateParty,
  validatePeriod,
  validateTexts,
  validateTypes,
  validityMembers,
  type ValidationScope,
} from './model.members.ts'
import { validateRelatedResources } from './model.related.ts'
import { type JsonObject, toList } from '../formats/index.ts'

/** Members whose objects must have a type. Source: sections 4.5, 4.10, 4.11, 5.4 to 5.6 and 5.10. */
const typedMembers = [
  'credentialStatus',
  'credentialSchema',
  'refreshService',
  'termsOfUse',
  'evidence',
  'confidenceMethod',
  'renderMethod',
]
/**
 * Members whose objects must have an id, by version. Source: Data Model 2.0, section 4.11; 1.1, sections 4.9, 5.4, 5.5.
 */
const identifiedMembers = {
  first: ['credentialStatus', 'credentialSchema', 'refreshService'],
  second: ['credentialSchema'],
}

/**
 * Validates a credential against the W3C Verifiable Credentials Data Model 2.0, for its issuer and for its verifier:
 * every requirement on the members that the specification defines. Does not check proofs, the claims about the subjects
 * or conformance to a `credentialSchema`, for which the specification has no requirements. Fetches nothing: the
 * expansion of proofs finds out what contexts by address map.
 * A credential whose first context is that of the Data Model 1.1 is validated against the requirements of that version.
 * Many such credentials are in use, and a verifier that ignored `expirationDate` would accept expired ones.
 * @param path path of the credential; `body` if it is the whole body
 * @throws VALIDATION_FAILED with every issue, at most 100
 * Source: W3C Verifiable Credentials Data Model 2.0, sections 4 and 5; test/core/certification/musts/data-model.ts
 * lists a violation of each statement
 */
export function assertValidCredential(credential: JsonObject, path: string): void {
  assertNoIssues((issues) => validateCredential(credential, path, issues))
}

/** Validates a presentation with the credentials in it. Source: section 4.13. @throws VALIDATION_FAILED */
export function assertValidPresentation(presentation: JsonObject, path: string): void {
  assertNoIssues((issues) => {
    const scope = { issues, terms: validateContexts(presentation, path, issues) }
    if (isDataModel1(presentation)) {
      issues.add(
        joinPath(joinPath(path, '@context'), 0),
        'data_model_1',
        `must be ${baseContext}: no presentation of 1.1 is judged here`,
      )
    }
    validateKind(presentation, 'VerifiablePresentation', path, scope)
    validateId(presentation, path, scope)
    if (presentation['holder'] !== undefined) validateParty(presentation, 'holder', path, scope)
    validateObjects(presentation, 'verifiableCredential', path, scope, (one, at) =>
      validateCredentialOrEnvelope(one, at, issues),
    )
    validateTypedMember(presentation, 'termsOfUse', path, scope)
    validateProofs(presentation, path, scope)
  })
}

export type EnvelopeType = 'EnvelopedVerifiableCredential' | 'EnvelopedVerifiablePresentation'

/**
 * Validates the object around a secured credential or presentation. Source: sections 4.13.1 and 4.13.2.
 * @throws VALIDATION_FAILED
 */
export function assertValidEnvelope(envelope: JsonObject, type: EnvelopeType, path: string): void {
  assertNoIssues((issues) => validateEnvelope(envelope, type, path, issues))
}

function assertNoIssues(validate: (issues: IssueCollector) => void): void {
  const issues = new IssueCollector()
  validate(issues)
  if (issues.issues.length > 0) throw createValidationProblem(issues.issues)
}

function validateCredentialOrEnvelope(one: JsonObject, path: string, issues: IssueCollector): void {
  const type = 'EnvelopedVerifiableCredential'
  if (toList(one['type']).includes(type)) validateEnvelope(one, type, path, issues)
  else validateCredential(one, path, issues)
}

function validateCredential(credential: JsonObject, path: string, issues: IssueCollector): void {
  const scope = { issues, terms: validateContexts(credential, path, issues) }
  validateKind(credential, 'VerifiableCredential', path, scope)
  validateId(credential, path, scope)
  const version = isDataModel1(credential) ? 'first' : 'second'
  if (version === 'second') validateTexts(credential, path, issues)
  validateRequiredMember(credential, 'issuer', path, issues)
  if (credential['issuer'] !== undefined) validateParty(credential, 'issuer', path, scope)
  validatePeriod(credential, validityMembers.second, path, issues)
  if (version === 'first') validateRequiredMember(credential, 'issuanceDate', path, issues)
  if (version === 'first') validatePeriod(credential, validityMembers.first, path, issues)
  validateSubjects(credential, path, scope)
  for (const name of typedMembers)
    validateTypedMember(credential, name, path, scope, identifiedMembers[version].includes(name))
  if (version === 'second') validateRelatedResources(credential, path, scope)
  validateProofs(credential, path, scope)
  if (version === 'second') validateEarlierDates(credential, path, scope)
}

function validateRequiredMember(parent: JsonObject, name: string, path: string, issues: IssueCollector): void {
  if (parent[name] === undefined) issues.add(joinPath(path, name), 'required', 'is missing')
}

/**
 * Reports the dates of version 1.1 in a credential of 2.0 unless a context maps them: without a mapping they mean
 * nothing, although their writer meant them to count.
 */
function validateEarlierDates(credential: JsonObject, path: string, { issues, terms }: ValidationScope): void {
  for (const [at, name] of validityMembers.first.entries()) {
    if (credential[name] === undefined || terms.defines(name)) continue
    issues.add(
      joinPath(path, name),
      'data_model_1',
      `is of the Data Model 1.1; in 2.0 it is ${validityMembers.second[at]}`,
    )
  }
}

const documentKinds = { VerifiableCredential: 'credential', VerifiablePresentation: 'presentation' }

function validateKind(
  parent: JsonObject,
  type: keyof typeof documentKinds,
  path: string,
  scope: ValidationScope,
): void {
  if (toList(parent['type']).includes(type)) return validateTypes(parent, path, scope)
  const kind = documentKinds[type]
  scope.issues.add(joinPath(path, 'type'), `not_a_${kind}`, `must name ${type}: without it this is no ${kind}`)
}

/** Validates the subjects. Source: section 4.8. */
function validateSubjects(credential: JsonObject, path: string, scope: ValidationScope): void {
  const name = 'credentialSubject'
  validateRequiredMember(credential, name, path, scope.issues)
  validateObjects(credential, name, path, scope, (subject, at) => {
    if (Object.keys(subject).length === 0) scope.issues.add(at, 'empty', 'must claim something of its subject')
    validateId(subject, at, scope)
    validateTypedMember(subject, 'confidenceMethod', at, scope)
  })
}

function validateTypedMember(
  parent: JsonObject,
  name: string,
  path: string,
  scope: ValidationScope,
  isIdRequired = false,
): void {
  validateObjects(parent, name, path, scope, (one, at) => {
    validateTypes(one, at, scope)
    validateId(one, at, scope, isIdRequired ? 'required' : 'optional')
  })
}

/**
 * Checks that proofs are objects with a type. The verification of proofs checks which types they are and whether they
 * are valid.
 */
function validateProofs(parent: JsonObject, path: string, { issues }: ValidationScope): void {
  // The suite of a proof defines its terms.
  const scope = { issues, terms: { defines: () => true } }
  validateObjects(parent, 'proof', path, scope, (proof, at) => validateTypes(proof, at, scope))
}

function validateEnvelope(envelope: JsonObject, type: EnvelopeType, path: string, issues: IssueCollector): void {
  const { '@context': context, id } = envelope
  const addIssue = (name: string, code: string, message: string) => issues.add(joinPath(path, name), code, message)
  if (context === undefined) addIssue('@context', 'required', 'is missing')
  else if (!toList(context).includes(baseContext)) addIssue('@context', 'base_context', `must have ${baseContext}`)
  if (!toList(envelope['type']).every((one) => one === type))
    addIssue('type', 'type', `must be ${type} and nothing else`)
  if (id === undefined) addIssue('id', 'required', 'is missing')
  else if (typeof id !== 'string' || !/^data:[^,]+,./.test(id))
    addIssue('id', 'url', 'must be a data: URL with what it envelops')
}
