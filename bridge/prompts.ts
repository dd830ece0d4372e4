import { prepareDemoEnvironment } from '../prompts/prepare-demo-environment.ts'
import { PromptArgumentError, type Prompt, type PromptEntry, type PromptResult } from '../prompts/prompt.ts'
import type { Catalogue } from '../tools/catalogue.ts'
import { isRecord } from '../tools/openapi.ts'
import { codes, ProtocolError } from './protocol-error.ts'

/** Ordered by name. */
const prompts: readonly Prompt[] = [prepareDemoEnvironment]

export const promptList: readonly PromptEntry[] = prompts.map(({ entry }) => entry)

/** Throws ProtocolError. */
export function findPrompt(name: unknown): Prompt {
  const prompt = prompts.find(({ entry }) => entry.name === name)
  if (!prompt) throw new ProtocolError(codes.invalidParams, `There is no prompt ${JSON.stringify(name)}`)
  return prompt
}

/** The answer to `prompts/get`. Throws ProtocolError that names the argument that is wrong. */
export function writePrompt(params: Readonly<Record<string, unknown>>, catalogue: Catalogue): PromptResult {
  const prompt = findPrompt(params['name'])
  try {
    return prompt.write(textsOf(prompt.entry, params['arguments'] ?? {}), catalogue)
  } catch (cause) {
    if (!(cause instanceof PromptArgumentError)) throw cause
    throw new ProtocolError(codes.invalidParams, cause.message, { argument: cause.argument })
  }
}

function textsOf(entry: PromptEntry, given: unknown): Record<string, string> {
  if (!isRecord(given)) throw new PromptArgumentError('arguments', 'must be an object')
  const texts: Record<string, string> = {}
  for (const [name, value] of Object.entries(given)) {
    if (!entry.arguments.some((one) => one.name === name))
      throw new PromptArgumentError(name, `is no argument of ${entry.name}`)
    if (typeof value !== 'string') throw new PromptArgumentError(name, 'must be text')
    texts[name] = value
  }
  for (const { name, required } of entry.arguments)
    if (required && texts[name] === undefined) throw new PromptArgumentError(name, 'is missing')
  return texts
}
