import { prepareDemoEnvironment } from '../../prompts/prepare-demo-environment.ts'
import type { Prompt, PromptEntry } from '../../prompts/prompt.ts'
import type { Catalogue } from '../../tools/catalogue/catalogue.ts'
import { DocumentError, isRecord } from '../../tools/openapi.ts'
import { codes, ProtocolError } from '../protocol/protocol-error.ts'

const ownPrompts: readonly Prompt[] = [prepareDemoEnvironment]

/** Returns the bridge's prompts that the document names, and its own, by name: the same bytes at every start. */
export const getPromptEntries = (catalogue: Catalogue): readonly PromptEntry[] =>
  [...listOwnPrompts(catalogue), ...catalogue.prompts.values()]
    .map(({ entry }) => entry)
    .sort((a, b) => (a.name < b.name ? -1 : 1))

const listOwnPrompts = ({ server }: Catalogue) =>
  ownPrompts.filter(({ entry }) => server.ownPrompts.includes(entry.name))

/**
 * Checks that the bridge has the prompts that a document names, and that no operation has such a name.
 * @throws DocumentError
 */
export function assertOwnPrompts({ prompts, server }: Catalogue): void {
  const unknown = server.ownPrompts.find((name) => !ownPrompts.some(({ entry }) => entry.name === name))
  if (unknown !== undefined)
    throw new DocumentError(`x-mcp-server.prompts names ${unknown}, which the bridge does not have`)
  const twice = server.ownPrompts.find((name) => prompts.has(name))
  if (twice !== undefined) throw new DocumentError(`an operation has the name of a prompt of the bridge, ${twice}`)
}

/** Finds one of the bridge's prompts that the document names; null if there is none. */
export const findOwnPrompt = (name: unknown, catalogue: Catalogue): Prompt | null =>
  listOwnPrompts(catalogue).find(({ entry }) => entry.name === name) ?? null

/** Returns the entry of a prompt. @throws ProtocolError if no prompt has the name */
export function readPromptEntry(name: unknown, catalogue: Catalogue): PromptEntry {
  const found = findOwnPrompt(name, catalogue) ?? (typeof name === 'string' ? catalogue.prompts.get(name) : undefined)
  if (!found) throw new ProtocolError(codes.invalidParams, `There is no prompt ${JSON.stringify(name)}`)
  return found.entry
}

/** Returns the arguments of a prompt, which are all text. @throws ProtocolError that names the wrong argument */
export function parsePromptArguments(entry: PromptEntry, input: unknown = {}): Record<string, string> {
  if (!isRecord(input)) throw createPromptArgumentError('arguments', 'must be an object')
  const texts: [string, string][] = []
  for (const [name, value] of Object.entries(input)) {
    if (!entry.arguments.some((one) => one.name === name))
      throw createPromptArgumentError(name, `is not an argument of ${entry.name}`)
    if (typeof value !== 'string') throw createPromptArgumentError(name, 'must be text')
    texts.push([name, value])
  }
  const missing = entry.arguments.find(({ name, required }) => required && !Object.hasOwn(input, name))
  if (missing) throw createPromptArgumentError(missing.name, 'is missing')
  return Object.fromEntries(texts)
}

export const createPromptArgumentError = (argument: string, message: string) =>
  new ProtocolError(codes.invalidParams, `${argument} ${message}`, { argument })
