import { fold, readApplications } from '../tools/applications.ts'
import type { Catalogue } from '../tools/catalogue.ts'
import { isRecord } from '../tools/openapi.ts'
import type { Read } from '../tools/own-tool.ts'
import { promptEntry } from './prompts.ts'
import { codes, ProtocolError } from './protocol-error.ts'

/** The most values of one answer. */
const most = 20

/** The arguments that are completed: ids of applications. */
const completed = ['applicationId', 'appId']

export interface Completion {
  readonly values: readonly string[]
  readonly total: number
  readonly hasMore: boolean
}

/**
 * Ids of the caller's applications that fit what was typed: the one with exactly this id, then those whose name
 * contains it. Of an argument that has only some values those that begin so; others have none.
 * Throws ProtocolError for a reference that names nothing, and Refusal.
 * Source: MCP, completion.
 */
export async function complete(
  params: Readonly<Record<string, unknown>>,
  catalogue: Catalogue,
  read: Read,
): Promise<{ completion: Completion }> {
  const { name, value } = argumentOf(params)
  const { what, names, choices } = referred(params['ref'], catalogue)
  if (!names.includes(name)) throw wrong(`${what} has no argument ${JSON.stringify(name)}`)
  const { applications } = catalogue
  const fitting =
    completed.includes(name) && applications !== null
      ? await idsFor(value, applications, read)
      : (choices?.get(name) ?? []).filter((choice) => fold(choice).startsWith(fold(value)))
  const values = fitting.slice(0, most)
  return { completion: { values, total: fitting.length, hasMore: fitting.length > values.length } }
}

async function idsFor(value: string, path: string, read: Read): Promise<string[]> {
  const wanted = fold(value)
  const all = await readApplications(read, path)
  const exact = all.filter(({ id }) => fold(id) === wanted)
  const named = all.filter((one) => !exact.includes(one) && fold(one.name).includes(wanted))
  return [...exact, ...named].map(({ id }) => id)
}

function argumentOf({ argument }: Readonly<Record<string, unknown>>): { name: string; value: string } {
  if (!isRecord(argument) || typeof argument['name'] !== 'string' || typeof argument['value'] !== 'string')
    throw wrong('argument must have a name and a value, both text')
  return { name: argument['name'], value: argument['value'] }
}

interface Referred {
  /** What is being filled in. */
  readonly what: string
  /** Of its arguments. */
  readonly names: readonly string[]
  readonly choices?: ReadonlyMap<string, readonly string[]> | undefined
}

function referred(ref: unknown, catalogue: Catalogue): Referred {
  if (isRecord(ref) && ref['type'] === 'ref/prompt') {
    const entry = promptEntry(ref['name'], catalogue)
    const { choices } = catalogue.prompts.get(entry.name) ?? {}
    return { what: `The prompt ${entry.name}`, names: entry.arguments.map(({ name }) => name), choices }
  }
  if (isRecord(ref) && ref['type'] === 'ref/resource') {
    const template = catalogue.resources.templates.find(({ uriTemplate }) => uriTemplate === ref['uri'])
    if (!template) throw wrong(`There is no resource template ${JSON.stringify(ref['uri'])}`)
    return { what: `The resource template ${template.uriTemplate}`, names: variables(template.uriTemplate) }
  }
  throw wrong('ref must be of type ref/prompt or ref/resource')
}

/** Source: RFC 6570, section 2. */
const variables = (template: string) =>
  [...template.matchAll(/\{\??([^{}]+)\}/g)].flatMap(([, list]) => (list ?? '').split(','))

const wrong = (message: string) => new ProtocolError(codes.invalidParams, message)
