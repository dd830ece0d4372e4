import type { Terms } from './model.contexts.ts'
import { below, type Faults } from './model.faults.ts'
import { momentOf } from './model.times.ts'
import { isLanguage, isTerm, isUrl } from './model.values.ts'
import { isObject, type Json } from './verify.doubt.ts'

/** Judges members of one document: what is wrong goes to `faults`, and what its contexts map is in `terms`. */
export interface Bench { faults: Faults; terms: Terms }

/** An identifier: one URL. @param demand whether it has to be there. Source: VC Data Model 2.0, section 4.4. */
export function judgeId(
  { id }: Json, path: string, { faults }: Bench, demand: 'required' | 'optional' = 'optional',
): void {
  if (id !== undefined) return judgeUrl(id, below(path, 'id'), faults)
  if (demand === 'required') faults.add(below(path, 'id'), 'required', 'is missing')
}

function judgeUrl(value: unknown, at: string, faults: Faults): void {
  if (typeof value !== 'string') faults.add(at, 'type', 'must be one URL, as text')
  else if (!isUrl(value)) faults.add(at, 'url', 'must be an absolute URL')
}

/** Types: one or more terms that a context maps, or absolute URLs. Source: VC Data Model 2.0, section 4.5. */
export function judgeTypes({ type }: Json, path: string, { faults, terms }: Bench): void {
  const at = below(path, 'type')
  if (type === undefined) return faults.add(at, 'required', 'is missing')
  if (!Array.isArray(type)) return judgeType(type, at, { faults, terms })
  if (type.length === 0) faults.add(at, 'empty', 'must name at least one type')
  type.forEach((one, index) => judgeType(one, below(at, index), { faults, terms }))
}

function judgeType(type: unknown, at: string, { faults, terms }: Bench): void {
  if (typeof type !== 'string') faults.add(at, 'type', 'must be a term or an absolute URL, as text')
  else if (isUrl(type)) return
  else if (!isTerm(type)) faults.add(at, 'term', 'is neither a term nor an absolute URL')
  else if (!terms.defines(type)) faults.add(at, 'unmapped', 'is a term that none of its contexts maps to a URL')
}

/** Judges each object that a member has: one, or a list of at least one. What is no object is a fault. */
export function judgeObjects(
  holder: Json, name: string, path: string, { faults }: Pick<Bench, 'faults'>, judge: (one: Json, at: string) => void,
): void {
  const value = holder[name]
  const at = below(path, name)
  const each = (one: unknown, place: string) =>
    isObject(one) ? judge(one, place) : faults.add(place, 'type', 'must be an object')
  if (Array.isArray(value) && value.length === 0) faults.add(at, 'empty', 'must have at least one object')
  if (Array.isArray(value)) value.forEach((one, index) => each(one, below(at, index)))
  else if (value !== undefined) each(value, at)
}

/** Who issues or holds: a URL, or an object that has it as its id. Source: VC Data Model 2.0, sections 4.7 and 4.13. */
export function judgeParty(holder: Json, name: 'issuer' | 'holder', path: string, bench: Bench): void {
  const value = holder[name]
  const at = below(path, name)
  if (!isObject(value)) return judgeUrl(value, at, bench.faults)
  judgeId(value, at, bench, 'required')
  judgeTexts(value, at, bench.faults)
}

/** `name` and `description`: text, or text in languages. Source: VC Data Model 2.0, sections 4.6 and 11.1. */
export function judgeTexts(holder: Json, path: string, faults: Faults): void {
  for (const name of ['name', 'description']) {
    const value = holder[name]
    const at = below(path, name)
    if (value === undefined || typeof value === 'string') continue
    if (Array.isArray(value) && value.length === 0) faults.add(at, 'empty', 'must have at least one text')
    if (!Array.isArray(value)) judgeText(value, at, faults, 'must be text, or an object with @value')
    else value.forEach((one, index) => judgeText(one, below(at, index), faults, 'must be an object with @value'))
  }
}

const ofText = new Set(['@value', '@language', '@direction'])

function judgeText(text: unknown, at: string, faults: Faults, otherwise: string): void {
  if (!isObject(text)) return faults.add(at, 'type', otherwise)
  const { '@value': value, '@language': language, '@direction': direction } = text
  const tell = (name: string, code: string, message: string) => faults.add(below(at, name), code, message)
  if (value === undefined) tell('@value', 'required', 'is missing')
  else if (typeof value !== 'string') tell('@value', 'type', 'must be text')
  if (language !== undefined && !isLanguage(language)) tell('@language', 'language', 'must be a language tag of BCP 47, like pt-BR')
  if (direction !== undefined && direction !== 'ltr' && direction !== 'rtl') tell('@direction', 'direction', 'must be ltr or rtl')
  for (const name of Object.keys(text)) {
    if (!ofText.has(name)) tell(name, 'unknown_member', 'is none of @value, @language and @direction, which such a text has')
  }
}

/** Members with the beginning and the end of a credential's validity, in each version of the data model. */
export const periods = { first: ['issuanceDate', 'expirationDate'], second: ['validFrom', 'validUntil'] } as const

/** When a credential is valid. Source: VC Data Model 2.0, section 4.9; 1.1, sections 4.6 and 4.7. */
export function judgePeriod(
  credential: Json, names: (typeof periods)[keyof typeof periods], path: string, faults: Faults,
): void {
  const [from, until] = names.map((name) => {
    const moment = credential[name] === undefined ? null : momentOf(credential[name])
    if (moment === null && credential[name] !== undefined) {
      faults.add(below(path, name), 'date_time', 'must be a date and time with an offset, like 2026-01-31T12:00:00Z')
    }
    return moment
  })
  if (typeof from !== 'number' || typeof until !== 'number' || from <= until) return
  faults.add(below(path, names[1]), 'order', `is before ${names[0]}`)
}
