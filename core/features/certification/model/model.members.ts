import type { TermDefinitions } from './model.contexts.ts'
import { joinPath, type IssueCollector } from './model.issues.ts'
import { isLanguageTag, isObject, isTerm, isUrl, type JsonObject, parseDateTimeStamp } from '../formats/index.ts'

/** The context of a validation: `issues` collects what is wrong, `terms` knows what the document's contexts map. */
export interface ValidationScope {
  issues: IssueCollector
  terms: TermDefinitions
}

/**
 * Validates an identifier: one URL.
 * @param presence whether it must be there
 * Source: VC Data Model 2.0, section 4.4.
 */
export function validateId(
  { id }: JsonObject,
  path: string,
  { issues }: ValidationScope,
  presence: 'required' | 'optional' = 'optional',
): void {
  if (id !== undefined) return validateUrl(id, joinPath(path, 'id'), issues)
  if (presence === 'required') issues.add(joinPath(path, 'id'), 'required', 'is missing')
}

function validateUrl(value: unknown, at: string, issues: IssueCollector): void {
  if (typeof value !== 'string') issues.add(at, 'type', 'must be one URL, as text')
  else if (!isUrl(value)) issues.add(at, 'url', 'must be an absolute URL')
}

/** Validates types: one or more terms that a context maps, or absolute URLs. Source: VC Data Model 2.0, section 4.5. */
export function validateTypes({ type }: JsonObject, path: string, { issues, terms }: ValidationScope): void {
  const at = joinPath(path, 'type')
  if (type === undefined) return issues.add(at, 'required', 'is missing')
  if (!Array.isArray(type)) return validateType(type, at, { issues, terms })
  if (type.length === 0) issues.add(at, 'empty', 'must name at least one type')
  type.forEach((one, index) => validateType(one, joinPath(at, index), { issues, terms }))
}

function validateType(type: unknown, at: string, { issues, terms }: ValidationScope): void {
  if (typeof type !== 'string') issues.add(at, 'type', 'must be a term or an absolute URL, as text')
  else if (isUrl(type)) return
  else if (!isTerm(type)) issues.add(at, 'term', 'is neither a term nor an absolute URL')
  else if (!terms.defines(type)) issues.add(at, 'unmapped', 'is a term that none of its contexts maps to a URL')
}

/**
 * Validates each object of a member, which has one object or a list of at least one. Reports every item that is no
 * object.
 */
export function validateObjects(
  parent: JsonObject,
  name: string,
  path: string,
  { issues }: Pick<ValidationScope, 'issues'>,
  validate: (one: JsonObject, at: string) => void,
): void {
  const value = parent[name]
  const at = joinPath(path, name)
  const validateItem = (one: unknown, place: string) =>
    isObject(one) ? validate(one, place) : issues.add(place, 'type', 'must be an object')
  if (Array.isArray(value) && value.length === 0) issues.add(at, 'empty', 'must have at least one object')
  if (Array.isArray(value)) value.forEach((one, index) => validateItem(one, joinPath(at, index)))
  else if (value !== undefined) validateItem(value, at)
}

/**
 * Validates an issuer or holder: a URL, or an object with the URL as its id. Source: VC Data Model 2.0, sections 4.7
 * and 4.13.
 */
export function validateParty(
  parent: JsonObject,
  name: 'issuer' | 'holder',
  path: string,
  scope: ValidationScope,
): void {
  const value = parent[name]
  const at = joinPath(path, name)
  if (!isObject(value)) return validateUrl(value, at, scope.issues)
  validateId(value, at, scope, 'required')
  validateTexts(value, at, scope.issues)
}

/**
 * Validates `name` and `description`: text, or texts with languages. Source: VC Data Model 2.0, sections 4.6 and 11.1.
 */
export function validateTexts(parent: JsonObject, path: string, issues: IssueCollector): void {
  for (const name of ['name', 'description']) {
    const value = parent[name]
    const at = joinPath(path, name)
    if (value === undefined || typeof value === 'string') continue
    if (Array.isArray(value) && value.length === 0) issues.add(at, 'empty', 'must have at least one text')
    if (!Array.isArray(value)) validateText(value, at, issues, 'must be text, or an object with @value')
    else value.forEach((one, index) => validateText(one, joinPath(at, index), issues, 'must be an object with @value'))
  }
}

const textMembers = new Set(['@value', '@language', '@direction'])

function validateText(text: unknown, at: string, issues: IssueCollector, typeMessage: string): void {
  if (!isObject(text)) return issues.add(at, 'type', typeMessage)
  const { '@value': value, '@language': language, '@direction': direction } = text
  const addIssue = (name: string, code: string, message: string) => issues.add(joinPath(at, name), code, message)
  if (value === undefined) addIssue('@value', 'required', 'is missing')
  else if (typeof value !== 'string') addIssue('@value', 'type', 'must be text')
  if (language !== undefined && !isLanguageTag(language))
    addIssue('@language', 'language', 'must be a language tag of BCP 47, like pt-BR')
  if (direction !== undefined && direction !== 'ltr' && direction !== 'rtl')
    addIssue('@direction', 'direction', 'must be ltr or rtl')
  for (const name of Object.keys(text)) {
    if (!textMembers.has(name))
      addIssue(name, 'unknown_member', 'is none of @value, @language and @direction, which such a text has')
  }
}

/** Names of the members for the start and end of validity, for each version of the data model. */
export const validityMembers = {
  first: ['issuanceDate', 'expirationDate'],
  second: ['validFrom', 'validUntil'],
} as const

/** Validates the period of validity. Source: VC Data Model 2.0, section 4.9; 1.1, sections 4.6 and 4.7. */
export function validatePeriod(
  credential: JsonObject,
  names: (typeof validityMembers)[keyof typeof validityMembers],
  path: string,
  issues: IssueCollector,
): void {
  const [from, until] = names.map((name) => {
    const moment = credential[name] === undefined ? null : parseDateTimeStamp(credential[name])
    if (moment === null && credential[name] !== undefined) {
      issues.add(joinPath(path, name), 'date_time', 'must be a date and time with an offset, like 2026-01-31T12:00:00Z')
    }
    return moment
  })
  if (typeof from !== 'number' || typeof until !== 'number' || from <= until) return
  issues.add(joinPath(path, names[1]), 'order', `is before ${names[0]}`)
}
