/** Declared answers that no test can provoke, each with why. This list may only shrink. */
export const exceptions: Record<string, string> = {}
