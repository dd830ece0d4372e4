import { foldCase, readApplications } from '../../tools/own/applications.ts'
import type { Catalogue } from '../../tools/catalogue/catalogue.ts'
import { isRecord } from '../../tools/openapi.ts'
import type { ApiReader } from '../../tools/own/own-tool.ts'
import { readPromptEntry } from './prompts.ts'
import { codes, ProtocolError } from '../protocol/protocol-error.ts'

/** The highest number of values in one answer. */
const maxValues = 20

/** The names of arguments that are completed with ids of applications. */
const applicationArguments = ['applicationId', 'appId']

export interface Completion {
  readonly values: readonly string[]
  readonly total: number
  readonly hasMore: boolean
}

/**
 * Returns completions of an argument. For an application id, these are the ids of the caller's applications: first the
 * one with exactly this id, then those whose name contains the text. For an argument with a fixed list of values, these
 * are the values that begin with the text. Other arguments have no completions. Source: MCP, completion.
 * @throws ProtocolError for a reference that names nothing; ReadRefusedError when the API refuses the list
 */
export async function completeArgument(
  params: Readonly<Record<string, unknown>>,
  catalogue: Catalogue,
  read: ApiReader,
): Promise<{ completion: Completion }> {
  const { name, value } = parseCompletionArgument(params)
  const { label, argumentNames, choices } = findCompletionTarget(params['ref'], catalogue)
  if (!argumentNames.includes(name)) throw createParamsError(`${label} has no argument ${JSON.stringify(name)}`)
  const { applicationsPath } = catalogue
  const fitting =
    applicationArguments.includes(name) && applicationsPath !== null
      ? await findApplicationIds(value, applicationsPath, read)
      : (choices?.get(name) ?? []).filter((choice) => foldCase(choice).startsWith(foldCase(value)))
  const values = fitting.slice(0, maxValues)
  return { completion: { values, total: fitting.length, hasMore: fitting.length > values.length } }
}

async function findApplicationIds(value: string, path: string, read: ApiReader): Promise<string[]> {
  const wanted = foldCase(value)
  const all = await readApplications(read, path)
  const exact = all.filter(({ id }) => foldCase(id) === wanted)
  const named = all.filter((one) => !exact.includes(one) && foldCase(one.name).includes(wanted))
  return [...exact, ...named].map(({ id }) => id)
}

function parseCompletionArgument({ argument }: Readonly<Record<string, unknown>>): { name: string; value: string } {
  if (!isRecord(argument) || typeof argument['name'] !== 'string' || typeof argument['value'] !== 'string')
    throw createParamsError('argument must have a name and a value, both text')
  return { name: argument['name'], value: argument['value'] }
}

interface CompletionTarget {
  /** The prompt or template whose argument is completed, in words. */
  readonly label: string
  /** The names of its arguments. */
  readonly argumentNames: readonly string[]
  readonly choices?: ReadonlyMap<string, readonly string[]> | undefined
}

function findCompletionTarget(ref: unknown, catalogue: Catalogue): CompletionTarget {
  if (isRecord(ref) && ref['type'] === 'ref/prompt') {
    const entry = readPromptEntry(ref['name'], catalogue)
    const { choices } = catalogue.prompts.get(entry.name) ?? {}
    return { label: `The prompt ${entry.name}`, argumentNames: entry.arguments.map(({ name }) => name), choices }
  }
  if (isRecord(ref) && ref['type'] === 'ref/resource') {
    const template = catalogue.resources.templates.find(({ uriTemplate }) => uriTemplate === ref['uri'])
    if (!template) throw createParamsError(`There is no resource template ${JSON.stringify(ref['uri'])}`)
    return {
      label: `The resource template ${template.uriTemplate}`,
      argumentNames: parseTemplateVariables(template.uriTemplate),
    }
  }
  throw createParamsError('ref must be of type ref/prompt or ref/resource')
}

/** Returns the names of a template's variables. Source: RFC 6570, section 2. */
const parseTemplateVariables = (template: string) =>
  [...template.matchAll(/\{\??([^{}]+)\}/g)].flatMap(([, list]) => (list ?? '').split(','))

const createParamsError = (message: string) => new ProtocolError(codes.invalidParams, message)
