import { problemCodes } from '../../core/kernel/problem-codes.ts'
import type { Answer } from '../support/client.ts'
import { platform } from '../support/platform.ts'
import { assertDeclaredAnswer } from '../support/declared-answers.ts'
import { leakPattern } from '../support/values/leaks.ts'
import type { Call } from './calls.ts'
import type { Stage } from './stage.ts'

/** A wrong answer to a call, as sentences; none when all is well. */
export function listAnswerFaults(call: Call, path: string, answer: Answer, stage: Stage): string[] {
  const { status, text } = answer
  const headers = Object.entries(answer.headers)
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join('\n')
  const said = `${headers}\n${text}`
  return [
    ...(status >= 500 ? [`answers ${status}: ${text.slice(0, 300)}`] : []),
    ...(status >= 400 && status < 500 ? faultsOfRefusal(call, path, answer) : []),
    ...faultsOfRows(call, answer),
    ...(status === headTooLarge && isLarge(call, path) ? [] : faultsOfWanted(call, answer)),
    ...(status === headTooLarge && !isLarge(call, path) ? ['finds the head too large'] : []),
    ...(status === headTooLarge ? [] : faultsByDocument(call, path, answer)),
    ...faultsOfHeaders(answer),
    ...(leakPattern.test(said) ? [`says too much: ${leakPattern.exec(said)?.[0]} in ${said.slice(0, 1_000)}`] : []),
    ...stage.secrets
      .filter((secret) => said.includes(secret))
      .map((secret) => `tells the secret ${secret.slice(0, 6)}…`),
    ...(call.as === 'nobody'
      ? stage.personal.filter((one) => said.includes(one)).map((one) => `tells a stranger ${one}`)
      : []),
  ]
}

const headTooLarge = 431
/** Bytes of a head from which it may be too large, its lines for which no test cares included. */
const largeHead = 32 * 1024 - 1_500
const isLarge = ({ headers }: Call, path: string) =>
  path.length + Object.entries(headers).flat().join('').length > largeHead

/** Characters of a refusal, whatever the request was. */
const longestRefusal = 64 * 1024

/** Problem details with a code of the table, and what goes with it. */
function faultsOfRefusal({ target }: Call, path: string, { status, headers, body, text }: Answer): string[] {
  if (!String(headers['content-type']).startsWith('application/problem+json'))
    return [`${status} is no problem: ${text.slice(0, 200)}`]
  const code = String(body['code'])
  const errors = (body['errors'] ?? []) as { path: unknown; code: unknown; message: unknown }[]
  // Who has none of several permissions is told the first.
  const [first = ''] = target.access.split(' or ')
  const [resource, action] = first.split(':')
  const rules: Record<string, boolean> = {
    'has a code of the table':
      Object.hasOwn(problemCodes, code) && problemCodes[code as keyof typeof problemCodes].status === status,
    'says its status': body['status'] === status,
    // Of a head that is too large no path was read.
    'names its path': body['instance'] === (status === headTooLarge ? '' : new URL(path, platform.api).pathname),
    'names its kind': body['type'] === `${platform.api}/problems/${code}`,
    'names its request': body['requestId'] === headers['x-request-id'],
    'has a detail': typeof body['detail'] === 'string' && body['detail'] !== '',
    'has at most a hundred violations': errors.length <= 100,
    'is short': text.length < longestRefusal,
    'asks for a credential': status !== 401 || headers['www-authenticate'] === 'Bearer',
    'names the missing pair':
      code !== 'AUTH_INSUFFICIENT_PERMISSIONS'
      || action === undefined
      || JSON.stringify(body['permission']) === JSON.stringify({ resource, action }),
  }
  return Object.entries(rules)
    .filter(([, holds]) => !holds)
    .map(([rule]) => `no longer ${rule}: ${text.slice(0, 500)}`)
}

/** What the document says of the answer, by the judge of every test. */
function faultsByDocument({ target: { method } }: Call, path: string, { status, headers, body }: Answer): string[] {
  try {
    assertDeclaredAnswer({ method, path, status, type: String(headers['content-type'] ?? ''), body, headers })
    return []
  } catch (error) {
    return [String(error)]
  }
}

function faultsOfHeaders({ headers, status }: Answer): string[] {
  if (status === headTooLarge) return []
  return [
    ...(/^[\w-]{1,64}$/.test(String(headers['x-request-id']))
      ? []
      : [`has the request id ${String(headers['x-request-id'])}`]),
    ...(headers['x-content-type-options'] === 'nosniff' ? [] : ['lets browsers guess its type']),
  ]
}

function faultsOfWanted({ wanted }: Call, { status, body, text }: Answer): string[] {
  if (!wanted) return []
  const said = `${status} ${text.slice(0, 300)}`
  if (!wanted.statuses.includes(status)) return [`answers ${said}, not ${wanted.statuses.join(' or ')}`]
  if (wanted.code !== undefined && body['code'] !== wanted.code) return [`answers ${said}, not ${wanted.code}`]
  const found = ((body?.['errors'] ?? []) as { code: string }[]).map(({ code }) => code)
  return !wanted.violations || found.some((code) => wanted.violations?.includes(code))
    ? []
    : [`blames ${found.join(', ')} in ${said}`]
}

/**
 * A filter's value is a value and nothing more: whatever rows it lets through have it, where they show the field. An
 * earlier call may well have stored it.
 */
function faultsOfRows({ rows }: Call, { status, body }: Answer): string[] {
  // Of other letters the database and this language do not agree on what is small and what is capital.
  if (!rows || status !== 200 || !/^[\x20-\x7e]+$/.test(rows.value)) return []
  const { field, operator } = rows
  const value = rows.value.toLowerCase()
  // A summary has no rows.
  const shownRows = (body['data'] ?? []) as unknown as Record<string, unknown>[]
  const wrong = shownRows.filter((row) => {
    if (!Object.hasOwn(row, field)) return false
    const shown = String(row[field]).toLowerCase()
    return operator === 'contains' ? !shown.includes(value) : operator === 'eq' && shown !== value
  })
  return wrong.length === 0 ? [] : [`lets ${JSON.stringify(value)} choose ${wrong.length} rows that do not have it`]
}
