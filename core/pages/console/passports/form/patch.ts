import { isDeepStrictEqual } from 'node:util'
import type { NewPassport, Passport, PassportPatch } from '../../../../features/dpp/index.ts'
import { isObject } from '../../../../kernel/json/values.ts'
import { computeMark, createMarkCheck } from '../../frame/marks.ts'

type Values = Record<string, unknown>

/**
 * Creates the merge patch that turns stored values into wanted ones: what is gone becomes null, lists are replaced.
 * Source: RFC 7396.
 */
export function createMergePatch(stored: Values, wanted: Values): Values {
  const removed = Object.keys(stored).filter((name) => !Object.hasOwn(wanted, name))
  const changed = Object.entries(wanted).filter(([name, value]) => !isDeepStrictEqual(stored[name], value))
  return Object.fromEntries([
    ...removed.map((name) => [name, null] as const),
    ...changed.map(([name, value]) => {
      const before = stored[name]
      return [name, isObject(before) && isObject(value) ? createMergePatch(before, value) : value] as const
    }),
  ])
}

/** The members of a passport that its form changes. */
export type PassportContent = Required<
  Pick<NewPassport, 'reference' | 'certificateUri' | 'allowedClaimEmail' | 'allowedClaimPhoneNumber' | 'certifiedPaths'>
> & { fields?: Values; product?: Values; data?: Values }

/** Picks what the form of a passport changes. */
export function pickContent(passport: Passport): PassportContent {
  const { product, fields = {}, data = {} } = passport
  return {
    reference: passport.reference ?? null,
    certificateUri: passport.certificateUri,
    allowedClaimEmail: passport.allowedClaimEmail ?? null,
    allowedClaimPhoneNumber: passport.allowedClaimPhoneNumber ?? null,
    certifiedPaths: passport.certifiedPaths,
    ...(isObject(product) ? { product, data } : { fields }),
  }
}

/** Creates the patch of a passport from its present content and the wanted one. */
export function createPassportPatch(present: PassportContent, wanted: PassportContent): PassportPatch {
  const patch = createMergePatch({ ...present }, { ...wanted })
  return patch as PassportPatch
}

/** Computes the mark by which a form recognizes that the content has changed since the form was made. */
export const computeContentMark = (passport: Passport): string => computeMark(pickContent(passport))

/** Creates the check that nobody changed the content since the form was made. */
export const createContentCheck = (mark: string) => createMarkCheck(mark, pickContent)
