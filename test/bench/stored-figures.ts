import { existsSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { keepFigures } from '../figures/keep-figures.ts'
import type { Figure } from './figures.ts'

/** A stored figure, with its commit and the load of the machine before the measurement. */
interface StoredFigure extends Figure {
  commit: string
  load: string
}

const file = new URL('../figures/speed/bench.json', import.meta.url)

/** Stores the figures of a row in place of its earlier figures. */
export function storeFigures(figures: readonly Figure[], circumstances: { commit: string; load: string }): void {
  const known = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { figures: StoredFigure[] }).figures : []
  const fresh = figures.map((figure) => ({ ...figure, ...circumstances }))
  const rows = new Set(fresh.map(({ row }) => row))
  const others = known.filter(({ row }) => !rows.has(row))
  const before = known.findIndex(({ row }) => rows.has(row))
  keepFigures('speed/bench', {
    command: 'npm run bench',
    processors: availableParallelism(),
    figures: others.toSpliced(before < 0 ? others.length : before, 0, ...fresh),
  })
}
