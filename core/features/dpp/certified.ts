import type { CertifiedContent } from '../certification/index.ts'
import { isObject } from './fields.judges.ts'
import type { PassportRow } from './passports.model.ts'
import type { SheetRow } from './sheets.model.ts'

type Certifiable = Pick<PassportRow, 'id' | 'product' | 'data' | 'fields' | 'certifiedPaths'>
type Values = Record<string, unknown>

/**
 * What is certified of a passport; null where nothing is: no path, or a value at none. A null is no value.
 * In the product flow the product, and of the data what is at the certified paths. In the sheet flow the name of the
 * sheet, the passport's identifier and the sheet's values at the sheet's paths; as data the passport's values at its
 * own paths, which are the sheet's where it has none. Values keep their nesting.
 */
export function certifiedContent(passport: Certifiable, sheet: SheetRow | null): CertifiedContent | null {
  const { id, product, certifiedPaths } = passport
  if (product !== null) {
    const data = certifiedData(passport.data ?? {}, certifiedPaths)
    return isEmpty(data) ? null : { product, data }
  }
  if (sheet === null) return null
  const shared = picked(sheet.fields, sheet.certifiedPaths, inSheet)
  const own = picked(passport.fields, certifiedPaths.length > 0 ? certifiedPaths : sheet.certifiedPaths, inSheet)
  if (isEmpty(shared) && isEmpty(own)) return null
  const [named, misnamed] = parted(shared)
  const identity = { name: sheet.name, idGranularity: 'item', itemNumber: id }
  return { product: { ...named, ...identity }, data: { ...misnamed, ...own } }
}

/** Which of its certified paths lead to no value of a passport yet, by their places in the list. */
export function pathsWithoutValue({ product, data, fields, certifiedPaths }: Certifiable, sheet: SheetRow | null): number[] {
  const isThere = (path: string) => product === null
    ? !isEmpty(picked(fields, [path], inSheet)) || !isEmpty(picked(sheet?.fields ?? {}, [path], inSheet))
    : !isEmpty(certifiedData(data ?? {}, [path]))
  return certifiedPaths.flatMap((path, at) => (isThere(path) ? [] : [at]))
}

/** What is at the paths of free data. */
export const certifiedData = (data: Values, paths: readonly string[]): Values => picked(data, paths, inData)

/** Names that a subject has for itself: values of the sheet under one of them stand among the data. */
const taken = new Set(['id', 'type', 'characteristics', 'name', 'idGranularity', 'itemNumber'])

function parted(values: Values): [Values, Values] {
  const entries = Object.entries(values)
  return [
    Object.fromEntries(entries.filter(([name]) => !taken.has(name))),
    Object.fromEntries(entries.filter(([name]) => taken.has(name))),
  ]
}

const isEmpty = (values: Values) => Object.keys(values).length === 0

/** What of a path is left behind a name: '' at its end, undefined where it leads elsewhere. */
type Steps = (path: string, name: string) => string | undefined

/** Names joined by dots, from object to object. */
const inData: Steps = (path, name) => {
  const at = path.indexOf('.')
  if (at === -1) return path === name ? '' : undefined
  return path.slice(0, at) === name ? path.slice(at + 1) : undefined
}

/** Names may hold dots; elements of arrays as `parts[].weight`, `parts.[].weight` or, for a single one, `parts[2].weight`. */
const inSheet: Steps = (path, name) => {
  if (!path.startsWith(name)) return undefined
  const rest = path.slice(name.length)
  if (rest.startsWith('.')) return rest.slice(1)
  return rest === '' || rest.startsWith('[') ? rest : undefined
}

const element = /^\[(0|[1-9]\d{0,8})?\]\.?/

function picked(values: Values, paths: readonly string[], steps: Steps): Values {
  return Object.fromEntries(Object.entries(values).flatMap(([name, value]) => {
    const rests = paths.flatMap((path) => steps(path, name) ?? [])
    const part = partOf(value, rests, steps)
    return part === null ? [] : [[name, part]]
  }))
}

/** Null where no path leads to a value. */
function partOf(value: unknown, rests: readonly string[], steps: Steps): unknown {
  if (rests.length === 0 || value === null || value === undefined) return null
  if (rests.includes('')) return value
  if (Array.isArray(value)) return steps === inSheet ? elementsOf(value, rests) : null
  if (!isObject(value)) return null
  const part = picked(value, rests, steps)
  return isEmpty(part) ? null : part
}

/** Elements keep their place: before the last one that is picked, null stands for one that is not. */
function elementsOf(items: readonly unknown[], rests: readonly string[]): unknown[] | null {
  const parts = items.map((item, at) => {
    const own = rests.flatMap((rest) => {
      const [whole = '', index] = element.exec(rest) ?? []
      return whole !== '' && (index === undefined || Number(index) === at) ? [rest.slice(whole.length)] : []
    })
    return partOf(item, own, inSheet)
  })
  const last = parts.findLastIndex((part) => part !== null)
  return last === -1 ? null : parts.slice(0, last + 1)
}
