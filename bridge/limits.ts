/** How many calls a caller may make, all in all and of one operation. */
export interface CallLimits {
  /** @returns null: go on; else the seconds after which to try again */
  take(owner: string, operation: string | null): Promise<{ retryAfter: number } | null>
}

export const noLimits: CallLimits = { take: async () => null }
