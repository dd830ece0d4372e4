import type { CertifiedContent } from '../../certification/index.ts'
import { isObject } from '../fields/index.ts'
import type { SheetRow } from '../sheets/index.ts'

type Values = Record<string, unknown>

/** The members of a passport that decide what is certified. `product` is null for a passport with a sheet. */
interface CertifiablePassport {
  id: string
  product: Values | null
  data: Values | null
  fields: Values
  certifiedPaths: readonly string[]
}

/**
 * Returns the certified content of a passport; null if there are no certified paths or no values at them (a null is no
 * value). In the product flow, the content is the product and the values of the data at the certified paths. In the
 * sheet flow, the product is the name of the sheet, the passport's identifier and the sheet's values at the sheet's
 * paths; the data is the passport's values at its own paths, or at the sheet's paths if it has none. Values keep their
 * nesting.
 */
export function getCertifiedContent(passport: CertifiablePassport, sheet: SheetRow | null): CertifiedContent | null {
  const { id, product, certifiedPaths } = passport
  if (product !== null) {
    const data = getCertifiedData(passport.data ?? {}, certifiedPaths)
    return isEmpty(data) ? null : { product, data }
  }
  if (sheet === null) return null
  const shared = pickValues(sheet.fields, sheet.certifiedPaths, stepInSheet)
  const data = pickValues(
    passport.fields,
    certifiedPaths.length > 0 ? certifiedPaths : sheet.certifiedPaths,
    stepInSheet,
  )
  if (isEmpty(shared) && isEmpty(data)) return null
  const [named, misnamed] = splitSubjectMembers(shared)
  const identity = { name: sheet.name, idGranularity: 'item', itemNumber: id }
  return { product: { ...named, ...identity }, data: { ...misnamed, ...data } }
}

/** Finds the certified paths that lead to no value of a passport yet, by their indices in the list. */
export function findPathsWithoutValue(
  { product, data, fields, certifiedPaths }: CertifiablePassport,
  sheet: SheetRow | null,
): number[] {
  const isThere = (path: string) =>
    product === null
      ? !isEmpty(pickValues(fields, [path], stepInSheet))
        || !isEmpty(pickValues(sheet?.fields ?? {}, [path], stepInSheet))
      : !isEmpty(getCertifiedData(data ?? {}, [path]))
  return certifiedPaths.flatMap((path, at) => (isThere(path) ? [] : [at]))
}

/** Returns the values at paths of free data. */
export const getCertifiedData = (data: Values, paths: readonly string[]): Values => pickValues(data, paths, stepInData)

/** The names that the subject itself uses. Values of the sheet with one of these names are moved to the data. */
const subjectMembers = new Set(['id', 'type', 'characteristics', 'name', 'idGranularity', 'itemNumber'])

function splitSubjectMembers(values: Values): [Values, Values] {
  const entries = Object.entries(values)
  return [
    Object.fromEntries(entries.filter(([name]) => !subjectMembers.has(name))),
    Object.fromEntries(entries.filter(([name]) => subjectMembers.has(name))),
  ]
}

const isEmpty = (data: Values) => Object.keys(data).length === 0

/**
 * A function that returns the rest of a path after a name: '' at its end, undefined if the path does not begin with the
 * name.
 */
type PathStep = (path: string, name: string) => string | undefined

/** Steps through names that are joined by dots, from object to object. */
const stepInData: PathStep = (path, name) => {
  const at = path.indexOf('.')
  if (at === -1) return path === name ? '' : undefined
  return path.slice(0, at) === name ? path.slice(at + 1) : undefined
}

/**
 * Steps through the names of a sheet's fields, which may contain dots. The elements of an array are `parts[].weight` or
 * `parts.[].weight`, and a single element is `parts[2].weight`.
 */
const stepInSheet: PathStep = (path, name) => {
  if (!path.startsWith(name)) return undefined
  const rest = path.slice(name.length)
  if (rest.startsWith('.')) return rest.slice(1)
  return rest === '' || rest.startsWith('[') ? rest : undefined
}

const elementPattern = /^\[(0|[1-9]\d{0,8})?\]\.?/

function pickValues(fields: Values, paths: readonly string[], steps: PathStep): Values {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => {
      const rests = paths.flatMap((path) => steps(path, name) ?? [])
      const part = pickPart(value, rests, steps)
      return part === null ? [] : [[name, part]]
    }),
  )
}

/** Returns the parts of a value to which paths lead; null if no path leads to a value. */
function pickPart(value: unknown, rests: readonly string[], steps: PathStep): unknown {
  if (rests.length === 0 || value === null || value === undefined) return null
  if (rests.includes('')) return value
  if (Array.isArray(value)) return steps === stepInSheet ? pickElements(value, rests) : null
  if (!isObject(value)) return null
  const part = pickValues(value, rests, steps)
  return isEmpty(part) ? null : part
}

/**
 * Picks elements of a list. Picked elements keep their index: null stands for an element before the last picked one
 * that is not picked.
 */
function pickElements(items: readonly unknown[], rests: readonly string[]): unknown[] | null {
  const parts = items.map((item, at) => {
    const own = rests.flatMap((rest) => {
      const [whole = '', index] = elementPattern.exec(rest) ?? []
      return whole !== '' && (index === undefined || Number(index) === at) ? [rest.slice(whole.length)] : []
    })
    return pickPart(item, own, stepInSheet)
  })
  const last = parts.findLastIndex((part) => part !== null)
  return last === -1 ? null : parts.slice(0, last + 1)
}
