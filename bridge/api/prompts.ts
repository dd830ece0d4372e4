import { prepareDemoEnvironment } from '../../prompts/prepare-demo-environment.ts'
import type { Prompt, PromptEntry } from '../../prompts/prompt.ts'
import type { Catalogue } from '../../tools/catalogue/catalogue.ts'
import { DocumentError, isRecord } from '../../tools/openapi.ts'
import { codes, ProtocolError } from '../protocol/protocol-error.ts'

const ownPrompts: readonly Prompt[] = [prepareDemoEnvironment]

/** The prompts of the bridge itself, which are not operations of the API, ordered by name. */
export const ownPromptEntries: readonly PromptEntry[] = ownPrompts.map(({ entry }) => entry)

/** Returns the bridge's prompts and the document's, ordered by name: the list has the same bytes at every start. */
export const getPromptEntries = ({ prompts }: Catalogue): readonly PromptEntry[] =>
  [...ownPromptEntries, ...[...prompts.values()].map(({ entry }) => entry)].sort((a, b) => (a.name < b.name ? -1 : 1))

/** Checks that no operation has the name of one of the bridge's prompts. @throws DocumentError */
export function assertNoOwnPromptNames({ prompts }: Catalogue): void {
  const twice = ownPromptEntries.find(({ name }) => prompts.has(name))
  if (twice) throw new DocumentError(`an operation is named ${twice.name}, as a prompt of the bridge is`)
}

export const findOwnPrompt = (name: unknown): Prompt | null =>
  ownPrompts.find(({ entry }) => entry.name === name) ?? null

/** Returns the entry of a prompt. @throws ProtocolError if no prompt has the name */
export function readPromptEntry(name: unknown, { prompts }: Catalogue): PromptEntry {
  const found = findOwnPrompt(name) ?? (typeof name === 'string' ? prompts.get(name) : undefined)
  if (!found) throw new ProtocolError(codes.invalidParams, `There is no prompt ${JSON.stringify(name)}`)
  return found.entry
}

/** Returns the arguments of a prompt, which are all text. @throws ProtocolError that names the wrong argument */
export function parsePromptArguments(entry: PromptEntry, input: unknown = {}): Record<string, string> {
  if (!isRecord(input)) throw createPromptArgumentError('arguments', 'must be an object')
  const texts: [string, string][] = []
  for (const [name, value] of Object.entries(input)) {
    if (!entry.arguments.some((one) => one.name === name))
      throw createPromptArgumentError(name, `is no argument of ${entry.name}`)
    if (typeof value !== 'string') throw createPromptArgumentError(name, 'must be text')
    texts.push([name, value])
  }
  const missing = entry.arguments.find(({ name, required }) => required && !Object.hasOwn(input, name))
  if (missing) throw createPromptArgumentError(missing.name, 'is missing')
  return Object.fromEntries(texts)
}

export const createPromptArgumentError = (argument: string, message: string) =>
  new ProtocolError(codes.invalidParams, `${argument} ${message}`, { argument })
