const structureTexts = new WeakMap<object, string>()

/** Keeps the JSON text of a result's structured content, so that it need not be formatted again. */
export function setStructureText(result: object, text: string): void {
  structureTexts.set(result, text)
}

/** Returns the structured content of a result as the API wrote it; null if no such text was kept. */
export const getStructureText = (result: object): string | null => structureTexts.get(result) ?? null
