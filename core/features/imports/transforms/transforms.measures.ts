import units from './data/units.json' with { type: 'json' }
import { normalizeText } from './transforms.countries.ts'
import { createNumberStep, type DecimalSign } from './transforms.numbers.ts'
import { createEachStep, createTextStep, toText, ValueIssue, type TransformStep } from './transforms.types.ts'

/** A unit of mass or length. `power` is that of ten by which it is larger than the gram or the metre, if it is one. */
interface Unit {
  kind: 'mass' | 'length'
  power: number | null
  words: readonly string[]
}

/** Units by their codes. Source: UN/ECE Recommendation 20. */
const unitsByCode: ReadonlyMap<string, Unit> = new Map(Object.entries(units) as [string, Unit][])

const codesByWord: ReadonlyMap<string, string> = new Map(
  [...unitsByCode].flatMap(([code, { words }]) => [code.toLowerCase(), ...words].map((word) => [word, code] as const)),
)

/** Finds the code of a unit by the word that tables use, as `kg` or `Gramm`; undefined if there is none. */
export const findUnitCode = (word: string): string | undefined =>
  codesByWord.get(normalizeText(word).replace(/[.()[\]]/g, ''))

/** Returns what a unit measures; undefined for a code that is not known. */
export const getUnitKind = (code: string): Unit['kind'] | undefined => unitsByCode.get(code)?.kind

const notUnit = new ValueIssue('not_unit', 'is not a unit of mass or length that is known, as kg or cm')

/** The step that writes a unit as its code, as `kg` as `KGM`. */
export const unitStep: TransformStep = createTextStep((text) =>
  text.trim() === '' ? undefined : (findUnitCode(text) ?? notUnit),
)

/** The most characters of a number with its unit: nobody writes a longer one. */
const maxMeasureLength = 100

const measurePattern = /^([^\p{L}"']+?)\s*([\p{L}.]*|"|'')$/u

/**
 * Creates a step that reads a number with the unit behind it, as `850 g`, and writes the number that it is in another
 * unit; a number without a unit is in that unit already.
 * @returns the step, or a text that says what is wrong with the unit
 */
export function createMeasureStep(code: string, sign: DecimalSign): TransformStep | string {
  const to = unitsByCode.get(code)
  if (!to) return `needs a unit: ${[...unitsByCode.keys()].join(', ')}`
  const readNumber = createNumberStep(sign)
  const notMeasure = new ValueIssue('not_measure', `is not a number with a unit that can be written in ${code}`)
  return createTextStep((text) => {
    const written = text.trim()
    if (written === '') return undefined
    if (written.length > maxMeasureLength) return notMeasure
    const [, digits = '', word = ''] = measurePattern.exec(written) ?? []
    if (digits === '') return notMeasure
    const number = readNumber(digits)
    if (typeof number !== 'number' || word === '') return number
    const from = findUnitCode(word) ?? ''
    if (from === code) return number
    const unit = unitsByCode.get(from)
    if (unit?.kind !== to.kind || unit.power === null || to.power === null) return notMeasure
    return shiftDecimals(number, unit.power - to.power)
  })
}

/** Multiplies a number by a power of ten without the rounding errors of a product. */
const shiftDecimals = (number: number, power: number): number => {
  const [digits = '', exponent = '0'] = String(number).split('e')
  return Number(`${digits}e${Number(exponent) + power}`)
}

const notPercent = new ValueIssue('not_percent', 'is not a percentage from 0 to 100')

/** Creates a step that writes a percentage, with or without its sign, as a share from 0 to 1. */
export function createPercentStep(sign: DecimalSign): TransformStep {
  const readNumber = createNumberStep(sign)
  return createEachStep((value) => {
    const text = toText(value)
    if (text instanceof ValueIssue) return text
    const written = text.trim()
    const number = readNumber(written.endsWith('%') ? written.slice(0, -1) : written)
    if (typeof number !== 'number') return number
    const share = shiftDecimals(number, -2)
    return number < 0 || number > 100 ? notPercent : share
  })
}
