import { invalid, type Violation } from '../../kernel/problem.ts'
import type { Context } from '../../kernel/work.ts'
import { encodingNamed } from './encodings.ts'
import type { DuplicatePolicy } from './imports.schema.ts'
import { InitError } from './imports.types.ts'
import { headerFault, type Headers } from './mappers.headers.ts'
import type { NewMapper } from './mappers.schema.ts'
import { judgeRows } from './mapping.rules.ts'
import { scheduleFault } from './schedule.cron.ts'

/** What of a mapper has to fit together. */
export interface MapperContent extends Pick<NewMapper, 'type' | 'format' | 'rows'> {
  url: string | null
  schedule: string | null
  headers: Headers | null
  onDuplicate: DuplicatePolicy | null
  encoding: string | null
  delimiter: string | null
  sheet: string | null
}

/** @throws VALIDATION_FAILED with all that is wrong with a mapper */
export function refuseContradictions(context: Context, content: MapperContent): void {
  const wrong = [
    ...judgeAddress(context, content), ...judgeSchedule(context, content), ...judgeHeaders(content),
    ...judgeDuplicates(content), ...judgeReading(content),
    ...judgeRows(content.rows, content.format),
  ]
  if (wrong.length > 0) throw invalid(wrong.slice(0, 100))
}

const urlOnly = 'is for mappers of type url only'

function judgeAddress({ outbound }: Context, { type, url }: MapperContent): Violation[] {
  if (type === 'file') return url === null ? [] : [{ path: 'url', code: 'type', message: urlOnly }]
  if (url === null) return [{ path: 'url', code: 'required', message: 'is required for a mapper of type url' }]
  const objection = outbound.objection(url)
  return objection === undefined ? [] : [{ path: 'url', code: 'url', message: `cannot be fetched: ${objection}` }]
}

function judgeSchedule({ clock }: Context, { type, schedule }: MapperContent): Violation[] {
  if (schedule === null) return []
  const fault = type === 'file' ? urlOnly : scheduleFault(schedule, clock.now())
  return fault === undefined ? [] : [{ path: 'schedule', code: 'schedule', message: fault }]
}

function judgeDuplicates({ type, onDuplicate }: MapperContent): Violation[] {
  return type === 'file' && onDuplicate !== null ? [{ path: 'onDuplicate', code: 'type', message: urlOnly }] : []
}

/** Files that are sent say it themselves, each anew, and JSON is written in one way only. */
function judgeReading({ type, format, encoding, delimiter, sheet }: MapperContent): Violation[] {
  const said = Object.entries({ encoding, delimiter, sheet }).filter(([, value]) => value !== null)
  if (type === 'file') return said.map(([path]) => ({ path, code: 'type', message: urlOnly }))
  if (format === 'json') return said.map(([path]) => ({ path, code: 'format', message: 'is for mappers of format csv only' }))
  const unknown = encoding === null ? undefined : encodingFault(encoding)
  return [
    ...unknown === undefined ? [] : [{ path: 'encoding', code: 'encoding', message: unknown }],
    ...sheet !== null && delimiter !== null ? [{ path: 'delimiter', code: 'format', message: 'is of CSV, and a sheet of a workbook: one of them can be named' }] : [],
  ]
}

function encodingFault(label: string): string | undefined {
  try {
    encodingNamed(label)
    return undefined
  } catch (cause) {
    return cause instanceof InitError ? cause.message : String(cause)
  }
}

function judgeHeaders({ type, headers }: MapperContent): Violation[] {
  if (headers === null) return []
  if (type === 'file') return [{ path: 'headers', code: 'type', message: urlOnly }]
  const names = Object.keys(headers)
  if (names.length > 20) return [{ path: 'headers', code: 'too_many', message: 'has more than 20 headers' }]
  return names.flatMap((name) => {
    const twice = names.filter((other) => other.toLowerCase() === name.toLowerCase()).length > 1
    const fault = twice ? 'stands twice' : headerFault(name, headers[name] ?? '')
    return fault === undefined ? [] : [{ path: `headers.${name.slice(0, 100)}`, code: 'header', message: fault }]
  })
}
