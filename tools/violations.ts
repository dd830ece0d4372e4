import type { ErrorObject } from 'ajv'

/** One thing that is wrong with the arguments; `path` is dotted (`items[0].name`). */
export interface Violation {
  readonly path: string
  readonly code: string
  readonly message: string
}

/** As many as a reader can use. */
const most = 20
/** As many faults are looked through, each beside all others. */
const mostCompared = 500

/** What ajv found, in the words of the API's own violations. */
export function violations(errors: readonly ErrorObject[]): Violation[] {
  const listed = new Map<string, Violation>()
  const compared = errors.slice(0, mostCompared)
  for (const error of compared.filter((one) => !isEcho(one, compared))) {
    const violation = translate(error)
    const key = `${violation.path} ${violation.message}`
    if (!listed.has(key)) listed.set(key, violation)
  }
  return [...listed.values()].slice(0, most)
}

/** Says no more than others do: a summary, a branch of another type than the value, the inside of a name's rule. */
function isEcho(error: ErrorObject, all: readonly ErrorObject[]): boolean {
  if (error.propertyName !== undefined && error.keyword !== 'propertyNames') return true
  const summary = error.keyword === 'anyOf' || error.keyword === 'oneOf' || error.keyword === 'if'
  const branch = error.keyword === 'type' && /\/(anyOf|oneOf)\//.test(error.schemaPath)
  const nothing = error.keyword === 'type' && error.params['type'] === 'null'
  if (!summary && !branch && !nothing) return false
  return all.some(
    (other) =>
      other !== error
      && other.instancePath.startsWith(error.instancePath)
      && (telling(other)
        || (!branch && other.keyword === 'type')
        || (nothing && other.keyword === 'type' && other.params['type'] !== 'null')),
  )
}

const telling = ({ keyword }: ErrorObject) =>
  keyword !== 'type' && keyword !== 'anyOf' && keyword !== 'oneOf' && keyword !== 'if'

function translate(error: ErrorObject): Violation {
  const path = dotted(error.instancePath)
  const inside = (name: unknown) => (path === '' ? String(name) : `${path}.${String(name)}`)
  switch (error.keyword) {
    case 'required':
      return { path: inside(error.params['missingProperty']), code: 'required', message: 'is missing' }
    case 'additionalProperties':
      return { path: inside(error.params['additionalProperty']), code: 'unknown_member', message: 'is not known here' }
    case 'unevaluatedProperties':
      return { path: inside(error.params['unevaluatedProperty']), code: 'unknown_member', message: 'is not known here' }
    case 'propertyNames':
      return { path: inside(error.params['propertyName']), code: 'unknown_member', message: 'is not known here' }
    case 'enum':
      return { path, code: 'enum', message: `must be one of ${JSON.stringify(error.params['allowedValues'])}` }
    case 'const':
      return { path, code: 'const', message: `must be ${JSON.stringify(error.params['allowedValue'])}` }
    default:
      return { path, code: error.keyword, message: error.message ?? 'is not valid' }
  }
}

/** `/items/0/name` as `items[0].name`. */
export function dotted(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, step) => (/^\d+$/.test(step) ? `${path}[${step}]` : path === '' ? step : `${path}.${step}`), '')
}
