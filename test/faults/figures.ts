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
  const rounded = (number = 0) => Math.round(number * 100) / 100
  return { p50: rounded(sorted[Math.floor((sorted.length - 1) / 2)]), max: rounded(sorted.at(-1)) }
}
