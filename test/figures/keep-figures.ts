import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Keeps the figures of a run for the README. */
export function keepFigures(name: string, figures: unknown): void {
  writeFileSync(join(import.meta.dirname, `${name}.json`), `${JSON.stringify(figures, null, 2)}\n`)
}

/** The middle and the largest of some numbers, to two places. */
export function computeSpread(numbers: readonly number[]): { p50: number; max: number } {
  const sorted = [...numbers].sort((a, b) => a - b)
  return {
    p50: roundToHundredths(sorted[Math.floor((sorted.length - 1) / 2)] ?? 0),
    max: roundToHundredths(sorted.at(-1) ?? 0),
  }
}

/** The sum of what is read of each. */
export const sumBy = <T>(list: readonly T[], read: (one: T) => number) => list.reduce((sum, one) => sum + read(one), 0)

export const roundToHundredths = (seconds: number) => Math.round(seconds * 100) / 100
