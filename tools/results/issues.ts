import type { ErrorObject } from 'ajv'

/** One error of the arguments; `path` is dotted (`items[0].name`). */
export interface Issue {
  readonly path: string
  readonly code: string
  readonly message: string
}

/** The highest number of issues that are returned. */
const maxIssues = 20
/** The highest number of errors that are compared with each other. */
const maxComparedErrors = 500

/** Converts the errors of ajv to issues, with the codes and messages of the API. */
export function toIssues(errors: readonly ErrorObject[]): Issue[] {
  const listed = new Map<string, Issue>()
  const compared = errors.slice(0, maxComparedErrors)
  for (const error of compared.filter((one) => !isRedundant(one, compared))) {
    const violation = toIssue(error)
    const key = `${violation.path} ${violation.message}`
    if (!listed.has(key)) listed.set(key, violation)
  }
  return [...listed.values()].slice(0, maxIssues)
}

/**
 * Returns whether an error only repeats others: a summary, a branch of another type, or the details of a name's rule.
 */
function isRedundant(error: ErrorObject, all: readonly ErrorObject[]): boolean {
  if (error.propertyName !== undefined && error.keyword !== 'propertyNames') return true
  const summary = error.keyword === 'anyOf' || error.keyword === 'oneOf' || error.keyword === 'if'
  const branch = error.keyword === 'type' && /\/(anyOf|oneOf)\//.test(error.schemaPath)
  const isNullBranch = error.keyword === 'type' && error.params['type'] === 'null'
  if (!summary && !branch && !isNullBranch) return false
  return all.some(
    (other) =>
      other !== error
      && other.instancePath.startsWith(error.instancePath)
      && (isSpecific(other)
        || (!branch && other.keyword === 'type')
        || (isNullBranch && other.keyword === 'type' && other.params['type'] !== 'null')),
  )
}

const isSpecific = ({ keyword }: ErrorObject) =>
  keyword !== 'type' && keyword !== 'anyOf' && keyword !== 'oneOf' && keyword !== 'if'

function toIssue(error: ErrorObject): Issue {
  const path = formatPath(error.instancePath)
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

/** Formats `/items/0/name` as `items[0].name`. */
export function formatPath(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, step) => (/^\d+$/.test(step) ? `${path}[${step}]` : path === '' ? step : `${path}.${step}`), '')
}
