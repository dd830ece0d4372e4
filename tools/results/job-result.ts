import type { ContentBlock } from './blocks.ts'
import { encodeSegment } from '../arguments/segment.ts'
import { DocumentError, isRecord, withPlace, type ApiDocument, type Schema } from '../openapi.ts'
import { parseExactJson } from '../json.ts'
import { showInvisible } from '../arguments/show-invisible.ts'
import type { ApiAnswer } from './api-request.ts'
import { formatDoneUnits, formatJobState, parseJobState, type JobState } from './jobs.ts'
import type { ToolResult } from './results.ts'
import { maskSecrets, type SecretPlaces } from './secrets.ts'
import { getPlainContent, setPlainContent, setStructureText } from './structure-texts.ts'

/** A link of a 202 answer to the operation that reads what the job came to. Source: OpenAPI 3.1, Link Object. */
export interface JobResultLink {
  /** The name of the link, under which its answer stands in the structured content. */
  readonly name: string
  /** The path of the operation, with its parameters in braces. */
  readonly path: string
  /** For each parameter of the path the JSON Pointer of its value in the body of the 202 answer. */
  readonly pointers: ReadonlyMap<string, string>
  /** Where the answer of the operation has secrets; null if it has none. */
  readonly secrets: SecretPlaces | null
}

const bodyExpression = /^\$response\.body#(\/.*)$/

/**
 * Reads the link of the 202 answer that is marked with `x-mcp-result`; null if there is none. The link names a GET by
 * its operation id, and a value of the body for each parameter of its path.
 * @throws DocumentError
 */
export function readJobResultLink(document: ApiDocument, { responses }: Schema): Omit<JobResultLink, 'secrets'> | null {
  const accepted = isRecord(responses) ? responses['202'] : undefined
  const links = isRecord(accepted) && isRecord(accepted['links']) ? accepted['links'] : {}
  const [entry] = Object.entries(links).filter(([, link]) => isRecord(link) && link['x-mcp-result'] === true)
  if (!entry) return null
  const [name, link] = entry
  return withPlace(`link ${name}`, () => {
    const { operationId, parameters } = link as Schema
    const path = Object.keys(document.paths).find((one) => {
      const item = document.paths[one]?.['get']
      return isRecord(item) && item['operationId'] === operationId
    })
    if (path === undefined) throw new DocumentError(`there is no GET ${String(operationId)}`)
    const expressions = isRecord(parameters) ? parameters : {}
    const pointers = [...path.matchAll(/\{([^{}]+)\}/g)].map(([, parameter = '']) => {
      const [, pointer] = bodyExpression.exec(String(expressions[parameter])) ?? []
      if (pointer === undefined) throw new DocumentError(`${parameter} is no value of the body`)
      return [parameter, pointer] as const
    })
    return { name, path, pointers: new Map(pointers) }
  })
}

/** Returns the path that a link leads to; null if the body lacks a value for it. */
export function formatJobResultPath(
  { path, pointers }: Pick<JobResultLink, 'path' | 'pointers'>,
  body: unknown,
): string | null {
  const segments = new Map([...pointers].map(([name, pointer]) => [name, formatValue(body, pointer)]))
  if ([...segments.values()].includes(null)) return null
  return path.replace(/\{([^{}]+)\}/g, (_, name: string) => segments.get(name) ?? '')
}

function formatValue(body: unknown, pointer: string): string | null {
  let value = body
  for (const step of pointer.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    value = isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined
  }
  return typeof value === 'string' || typeof value === 'number' ? encodeSegment(String(value)) : null
}

/**
 * Adds to the result of a call what its job came to: the job in its final state in place of the first one, and the
 * linked answer under the name of the link. A linked answer often has the job itself too, which then is not repeated.
 * A secret of either answer stands in the structured content only.
 * Does nothing if the linked answer is no JSON object.
 */
export function addJobResult(result: ToolResult, { name, secrets }: JobResultLink, answer: ApiAnswer): void {
  const { structuredContent: first } = result
  const linked = parseExactJson(answer.bytes)
  if (!isRecord(first) || !isRecord(linked)) return
  const isJob = (value: unknown) => isRecord(value) && value['id'] === first['jobId']
  const [jobMember] = Object.keys(linked).filter((member) => isJob(linked[member]))
  const join = (begun: Schema, ended: Schema): Schema => {
    const { [jobMember ?? '']: job, ...rest } = ended
    return { ...begun, ...(isRecord(job) && job), [name]: rest }
  }
  const structure = join(first, linked)
  const text = JSON.stringify(structure)
  result.structuredContent = structure
  setStructureText(result, text)
  const state = parseJobState(text)
  const summary = state ? [formatSummary(state)] : []
  const links = result.content.filter(({ type }) => type === 'resource_link')
  const createContent = (body: string): ContentBlock[] => [
    { type: 'text', text: showInvisible([...summary, body].join('\n'), true) },
    ...links,
  ]
  const masked = maskSecrets(linked, secrets) as Schema
  result.content = createContent(JSON.stringify({ [name]: join(first, masked)[name] }))
  const hasSecrets = secrets !== null || getPlainContent(result) !== null
  setPlainContent(result, hasSecrets ? createContent(text) : null)
}

/** Formats the end of a job. The linked answer has the errors of a job that was completed, a failed job its own. */
const formatSummary = (state: JobState) =>
  state.status === 'failed'
    ? formatJobState(state)
    : `The ${state.type} job ${state.id} is ${state.status}: ${formatDoneUnits(state)}.`
