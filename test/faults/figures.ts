import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = join(import.meta.dirname, '../figures')

/** Keeps the figures of a run for the README. */
export function keepFigures(name: string, figures: unknown): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(figures, null, 2)}\n`)
}

/** The middle and the largest of some numbers, to two places. */
export function spread(numbers: readonly number[]): { p50: number; max: number } {
  const sorted = [...numbers].sort((a, b) => a - b)
  return { p50: rounded(sorted[Math.floor((sorted.length - 1) / 2)] ?? 0), max: rounded(sorted.at(-1) ?? 0) }
}

/** The sum of what is read of each. */
export const sumOf = <T>(list: readonly T[], read: (one: T) => number) => list.reduce((sum, one) => sum + read(one), 0)

export const rounded = (seconds: number) => Math.round(seconds * 100) / 100
