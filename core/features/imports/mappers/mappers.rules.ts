import { createValidationProblem, type Issue } from '../../../kernel/problem.ts'
import type { Context } from '../../../kernel/work.ts'
import { type DuplicatePolicy, InitError, type NewMapper, parseEncoding } from '../records/index.ts'
import { findHeaderIssue, type MapperHeaders } from './mappers.headers.ts'
import { type RecordShape, validateMapperRows } from '../mapping/index.ts'
import { findScheduleIssue } from './schedule.cron.ts'

/** The members of a mapper that have to fit together. */
export interface MapperContent extends Pick<NewMapper, 'type' | 'format' | 'rows'> {
  url: string | null
  schedule: string | null
  headers: MapperHeaders | null
  onDuplicate: DuplicatePolicy | null
  encoding: string | null
  delimiter: string | null
  sheet: string | null
}

/** @throws VALIDATION_FAILED with everything that is wrong with the mapper */
export function assertMapperValid(context: Context, content: MapperContent, records: RecordShape): void {
  const wrong = [
    ...validateAddress(context, content),
    ...validateSchedule(context, content),
    ...validateHeaders(content),
    ...validateDuplicatePolicy(content),
    ...validateReadingOptions(content),
    ...validateMapperRows(content.rows, content.format, records),
  ]
  if (wrong.length > 0) throw createValidationProblem(wrong.slice(0, 100))
}

const urlOnlyMessage = 'is for mappers of type url only'

function validateAddress({ outbound }: Context, { type, url }: MapperContent): Issue[] {
  if (type === 'file') return url === null ? [] : [{ path: 'url', code: 'type', message: urlOnlyMessage }]
  if (url === null) return [{ path: 'url', code: 'required', message: 'is required for a mapper of type url' }]
  const objection = outbound.findObjection(url)
  return objection === undefined ? [] : [{ path: 'url', code: 'url', message: `cannot be fetched: ${objection}` }]
}

function validateSchedule({ clock }: Context, { type, schedule }: MapperContent): Issue[] {
  if (schedule === null) return []
  const fault = type === 'file' ? urlOnlyMessage : findScheduleIssue(schedule, clock.now())
  return fault === undefined ? [] : [{ path: 'schedule', code: 'schedule', message: fault }]
}

function validateDuplicatePolicy({ type, onDuplicate }: MapperContent): Issue[] {
  return type === 'file' && onDuplicate !== null ? [{ path: 'onDuplicate', code: 'type', message: urlOnlyMessage }] : []
}

/** Validates the options of reading. A file that is sent declares its own options each time, and JSON has none. */
function validateReadingOptions({ type, format, encoding, delimiter, sheet }: MapperContent): Issue[] {
  const said = Object.entries({ encoding, delimiter, sheet }).filter(([, value]) => value !== null)
  if (type === 'file') return said.map(([path]) => ({ path, code: 'type', message: urlOnlyMessage }))
  if (format === 'json')
    return said.map(([path]) => ({ path, code: 'format', message: 'is for mappers of format csv only' }))
  const unknown = encoding === null ? undefined : findEncodingIssue(encoding)
  return [
    ...(unknown === undefined ? [] : [{ path: 'encoding', code: 'encoding', message: unknown }]),
    ...(sheet !== null && delimiter !== null
      ? [
          {
            path: 'delimiter',
            code: 'format',
            message: 'is of CSV, and a sheet of a workbook: one of them can be named',
          },
        ]
      : []),
  ]
}

function findEncodingIssue(label: string): string | undefined {
  try {
    parseEncoding(label)
    return undefined
  } catch (cause) {
    return cause instanceof InitError ? cause.message : String(cause)
  }
}

function validateHeaders({ type, headers }: MapperContent): Issue[] {
  if (headers === null) return []
  if (type === 'file') return [{ path: 'headers', code: 'type', message: urlOnlyMessage }]
  const names = Object.keys(headers)
  if (names.length > 20) return [{ path: 'headers', code: 'too_many', message: 'has more than 20 headers' }]
  return names.flatMap((name) => {
    const twice = names.filter((other) => other.toLowerCase() === name.toLowerCase()).length > 1
    const fault = twice ? 'stands twice' : findHeaderIssue(name, headers[name] ?? '')
    return fault === undefined ? [] : [{ path: `headers.${name.slice(0, 100)}`, code: 'header', message: fault }]
  })
}
