/** Declared answers that no test can provoke, each with the reason. This list may only shrink. */
export const exceptions: Record<string, string> = {}
