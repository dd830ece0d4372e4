import { existsSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { keepFigures } from '../faults/figures.ts'
import type { Figure } from './figures.ts'

/** A figure as it is kept: with the commit it is of, and how busy the machine was before. */
interface Kept extends Figure {
  commit: string
  load: string
}

const file = new URL('../figures/bench.json', import.meta.url)

/** Puts the figures of a row in the place of those that were kept of it. */
export function keepRows(figures: readonly Figure[], when: { commit: string; load: string }): void {
  const known = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { figures: Kept[] }).figures : []
  const fresh = figures.map((figure) => ({ ...figure, ...when }))
  const rows = new Set(fresh.map(({ row }) => row))
  const others = known.filter(({ row }) => !rows.has(row))
  const before = known.findIndex(({ row }) => rows.has(row))
  keepFigures('bench', {
    command: 'npm run bench',
    processors: availableParallelism(),
    figures: others.toSpliced(before < 0 ? others.length : before, 0, ...fresh),
  })
}
