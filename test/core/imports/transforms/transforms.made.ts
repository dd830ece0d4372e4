import { passportSink } from '../../../../core/features/dpp/index.ts'
import { compileMapper } from '../../../../core/features/imports/mapping/mapping.ts'

/** What transforms make of a value: the value, null for none, or the code of the error. */
export function made(value: unknown, ...transforms: string[]): unknown {
  const map = compileMapper(
    [{ destination: 'data.v', kind: 'field', source: '$.v', transforms }],
    { format: 'json' },
    passportSink,
  )
  const {
    body,
    errors: [error],
  } = map({ v: value })
  if (error) return `! ${error.code}`
  return (body['data'] as { v?: unknown } | undefined)?.v ?? null
}
