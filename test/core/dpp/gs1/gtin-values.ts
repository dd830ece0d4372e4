import { randomInt } from 'node:crypto'
import fc from 'fast-check'
import { computeCheckDigit } from '../../../../core/kernel/text/check-digit.ts'

/** The signs that a number of GS1 is made of. */
export const allowedCharacters = [
  ...'!"%&\'()*+,-./0123456789:;<=>?ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz',
]
/** A number that an address can hold. */
export const qualifierValue = fc
  .array(fc.constantFrom(...allowedCharacters), { minLength: 1, maxLength: 20 })
  .map((some) => some.join(''))
  .filter((text) => text !== '.' && text !== '..')

/** A GTIN that nobody has. @param length digits: 8, 12, 13 or 14 */
export function createGtin(length = 14): string {
  const digits = Array.from({ length: length - 1 }, (_, at) => randomInt(at === 0 ? 1 : 0, 10)).join('')
  return digits + computeCheckDigit(digits)
}

const encode = (number: string) =>
  encodeURIComponent(number).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

/** The path of the Digital Link of an item with these numbers, as the standard spells it. */
export const formatItemPath = (numbers: { gtin: string; batchNumber: string; itemNumber: string }): string =>
  `/01/${numbers.gtin.padStart(14, '0')}/10/${encode(numbers.batchNumber)}/21/${encode(numbers.itemNumber)}`
