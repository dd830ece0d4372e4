import { foldCase, readApplications } from '../../tools/own/applications.ts'
import type { Catalogue } from '../../tools/catalogue/catalogue.ts'
import { isRecord } from '../../tools/openapi.ts'
import type { ApiReader } from '../../tools/own/own-tool.ts'
import { encodeSegment } from '../../tools/arguments/segment.ts'
import type { ExposedOperation } from '../../tools/catalogue/operations.ts'
import { findIds, type FoundIds } from './id-completions.ts'
import { findOwnPrompt, readPromptEntry } from './prompts.ts'
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
 * one with exactly this id, then those whose name contains the text. For another id in the path of a template, these
 * are ids of the list above it, if the document says how that list is searched (`x-mcp-search`): the exact id, then
 * rows by reference, number or name. For an argument with a fixed list of values, these are the values that begin with
 * the text. Other arguments have no completions. The values are what the argument takes, so they have no labels.
 * Source: MCP, completion.
 * @throws ProtocolError for a reference that names nothing; ReadRefusedError when the API refuses the list
 */
export async function completeArgument(
  params: Readonly<Record<string, unknown>>,
  catalogue: Catalogue,
  read: ApiReader,
): Promise<{ completion: Completion }> {
  const { name, value } = parseCompletionArgument(params)
  const { label, argumentNames, choices, template } = findCompletionTarget(params['ref'], catalogue)
  if (!argumentNames.includes(name)) throw createParamsError(`${label} has no argument ${JSON.stringify(name)}`)
  const { ids, total } =
    (await findApplicationIds(name, value, catalogue, read))
    ?? (template && (await findTemplateIds(template, { name, value, params }, catalogue, read)))
    ?? findChoices(choices?.get(name) ?? [], value)
  const values = ids.slice(0, maxValues)
  return { completion: { values, total, hasMore: total > values.length } }
}

function findChoices(choices: readonly string[], value: string): FoundIds {
  const ids = choices.filter((choice) => foldCase(choice).startsWith(foldCase(value)))
  return { ids, total: ids.length }
}

/** Returns null if the argument is no application id. */
async function findApplicationIds(
  name: string,
  value: string,
  { applicationsPath }: Catalogue,
  read: ApiReader,
): Promise<FoundIds | null> {
  if (!applicationArguments.includes(name) || applicationsPath === null) return null
  const wanted = foldCase(value)
  const all = await readApplications(read, applicationsPath)
  const exact = all.filter(({ id }) => foldCase(id) === wanted)
  const named = all.filter((one) => !exact.includes(one) && foldCase(one.name).includes(wanted))
  const ids = [...exact, ...named].map(({ id }) => id)
  return { ids, total: ids.length }
}

interface CompletionRequest {
  readonly name: string
  readonly value: string
  readonly params: Readonly<Record<string, unknown>>
}

/** Finds ids for a variable in the path of a template; null if no list shows them, or its own path is not known yet. */
async function findTemplateIds(
  { path, parameters }: ExposedOperation,
  { name, value, params }: CompletionRequest,
  { resources }: Catalogue,
  read: ApiReader,
): Promise<FoundIds | null> {
  const end = path.indexOf(`/{${name}}`)
  const list = end < 0 ? null : resources.findOperation(path.slice(0, end))
  const listPath = list?.search ? fillPath(list.path, params['context']) : null
  if (!list || listPath === null) return null
  const parameter = parameters.find((one) => one.in === 'path' && one.name === name)
  const isUuid = parameter?.schema.schema['format'] === 'uuid'
  return await findIds(value, list, listPath, { read, maxIds: maxValues, isUuid })
}

/** Fills a path with the arguments that the client has resolved already. Source: MCP 2025-06-18, CompleteRequest. */
function fillPath(path: string, context: unknown): string | null {
  const given = isRecord(context) && isRecord(context['arguments']) ? context['arguments'] : {}
  let isFilled = true
  const filled = path.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => {
    const text = typeof given[name] === 'string' ? encodeSegment(given[name]) : null
    if (text === null) isFilled = false
    return text ?? ''
  })
  return isFilled ? filled : null
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
  /** The operation of a resource template. */
  readonly template?: ExposedOperation
}

function findCompletionTarget(ref: unknown, catalogue: Catalogue): CompletionTarget {
  if (isRecord(ref) && ref['type'] === 'ref/prompt') {
    const entry = readPromptEntry(ref['name'], catalogue)
    const choices =
      findOwnPrompt(entry.name, catalogue)?.listChoices(catalogue) ?? catalogue.prompts.get(entry.name)?.choices
    return { label: `The prompt ${entry.name}`, argumentNames: entry.arguments.map(({ name }) => name), choices }
  }
  if (isRecord(ref) && ref['type'] === 'ref/resource') {
    const template = catalogue.resources.findTemplate(ref['uri'])
    if (!template) throw createParamsError(`There is no resource template ${JSON.stringify(ref['uri'])}`)
    return {
      label: `The resource template ${String(ref['uri'])}`,
      argumentNames: template.parameters.map(({ name }) => name),
      choices: new Map(template.parameters.map(({ name, choices }) => [name, choices])),
      template,
    }
  }
  throw createParamsError('ref must be of type ref/prompt or ref/resource')
}

const createParamsError = (message: string) => new ProtocolError(codes.invalidParams, message)
