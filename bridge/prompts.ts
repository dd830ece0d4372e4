import { prepareDemoEnvironment } from '../prompts/prepare-demo-environment.ts'
import type { Prompt, PromptEntry } from '../prompts/prompt.ts'
import type { Catalogue } from '../tools/catalogue.ts'
import { DocumentError, isRecord } from '../tools/openapi.ts'
import { codes, ProtocolError } from './protocol-error.ts'

const own: readonly Prompt[] = [prepareDemoEnvironment]

/** Prompts that are no operations, ordered by name. */
export const promptList: readonly PromptEntry[] = own.map(({ entry }) => entry)

/** Those and the document's, ordered by name, so that the list has the same bytes at every start. */
export const promptsOf = ({ prompts }: Catalogue): readonly PromptEntry[] =>
  [...promptList, ...[...prompts.values()].map(({ entry }) => entry)].sort((a, b) => (a.name < b.name ? -1 : 1))

/** Throws DocumentError where an operation has the name of a prompt of ours. */
export function refuseOurNames({ prompts }: Catalogue): void {
  const twice = promptList.find(({ name }) => prompts.has(name))
  if (twice) throw new DocumentError(`an operation is named ${twice.name}, as a prompt of the bridge is`)
}

export const ownPrompt = (name: unknown): Prompt | null => own.find(({ entry }) => entry.name === name) ?? null

/** Throws ProtocolError for a name that no prompt has. */
export function promptEntry(name: unknown, { prompts }: Catalogue): PromptEntry {
  const found = ownPrompt(name) ?? (typeof name === 'string' ? prompts.get(name) : undefined)
  if (!found) throw new ProtocolError(codes.invalidParams, `There is no prompt ${JSON.stringify(name)}`)
  return found.entry
}

/** The arguments of a prompt, which are all text. Throws ProtocolError that names the one that is wrong. */
export function promptArguments(entry: PromptEntry, given: unknown = {}): Record<string, string> {
  if (!isRecord(given)) throw wrongArgument('arguments', 'must be an object')
  const texts: [string, string][] = []
  for (const [name, value] of Object.entries(given)) {
    if (!entry.arguments.some((one) => one.name === name)) throw wrongArgument(name, `is no argument of ${entry.name}`)
    if (typeof value !== 'string') throw wrongArgument(name, 'must be text')
    texts.push([name, value])
  }
  const missing = entry.arguments.find(({ name, required }) => required && !Object.hasOwn(given, name))
  if (missing) throw wrongArgument(missing.name, 'is missing')
  return Object.fromEntries(texts)
}

export const wrongArgument = (argument: string, message: string) =>
  new ProtocolError(codes.invalidParams, `${argument} ${message}`, { argument })
