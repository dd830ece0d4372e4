import type { ContentBlock } from './blocks.ts'

const structureTexts = new WeakMap<object, string>()
const plainContents = new WeakMap<object, ContentBlock[]>()

/** Keeps the JSON text of a result's structured content, so that it need not be formatted again. */
export function setStructureText(result: object, text: string | null): void {
  if (text === null) structureTexts.delete(result)
  else structureTexts.set(result, text)
}

/** Returns the structured content of a result as the API wrote it; null if no such text was kept. */
export const getStructureText = (result: object): string | null => structureTexts.get(result) ?? null

/** Keeps the content for clients without structured content, if the usual content leaves something out. */
export function setPlainContent(result: object, content: ContentBlock[] | null): void {
  if (content === null) plainContents.delete(result)
  else plainContents.set(result, content)
}

/** Returns the content for clients without structured content; null if it is the usual content. */
export const getPlainContent = (result: object): ContentBlock[] | null => plainContents.get(result) ?? null

/** Adds a text at the end of a result, for clients of every revision. */
export function addText(result: { readonly content: ContentBlock[] }, text: string): void {
  for (const content of [result.content, getPlainContent(result) ?? []]) content.push({ type: 'text', text })
}
