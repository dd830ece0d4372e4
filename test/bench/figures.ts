/** What a figure has to reach. */
export interface Target {
  at: 'least' | 'most'
  value: number
}

/** One measured thing, and what it is held against. */
export interface Figure {
  row: string
  what: string
  unit: string
  baseline: { name: string; value: number } | null
  ours: number
  /** What the target is about: ours divided by the baseline, or their difference, or ours itself. */
  compared: { by: 'ratio' | 'difference' | 'itself'; value: number }
  /** Null for what is only told. */
  target: Target | null
  good: boolean
}

interface Told {
  row: string
  what: string
  unit: string
  ours: number
}
interface Compared extends Told {
  target: Target
}
interface Measured extends Compared {
  baseline: { name: string; value: number }
}

function judged(figure: Omit<Figure, 'good'>): Figure {
  const {
    compared: { value },
    target,
  } = figure
  return { ...figure, good: target === null || (target.at === 'least' ? value >= target.value : value <= target.value) }
}

/** A figure whose target is a multiple of its baseline. */
export const ratio = (measured: Measured): Figure =>
  judged({ ...measured, compared: { by: 'ratio', value: measured.ours / measured.baseline.value } })

/** A figure that may lie so much beside its baseline. */
export const difference = (measured: Measured): Figure =>
  judged({ ...measured, compared: { by: 'difference', value: measured.ours - measured.baseline.value } })

/** A figure with a target of its own; a baseline is only shown. */
export const itself = (measured: Compared & { baseline?: Measured['baseline'] }): Figure =>
  judged({ ...measured, baseline: measured.baseline ?? null, compared: { by: 'itself', value: measured.ours } })

/** A figure that nothing is asked of. */
export function told({ baseline = null, ...measured }: Told & { baseline?: Figure['baseline'] }): Figure {
  const compared = baseline
    ? ({ by: 'ratio', value: measured.ours / baseline.value } as const)
    : ({ by: 'itself', value: measured.ours } as const)
  return judged({ ...measured, baseline, target: null, compared })
}

export const least = (value: number): Target => ({ at: 'least', value })
export const most = (value: number): Target => ({ at: 'most', value })

/** The middle of some numbers. */
export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  const middle = sorted[Math.floor((sorted.length - 1) / 2)]
  if (middle === undefined) throw new Error('There is no middle of nothing')
  return middle
}

/** A number with three digits that say something. */
export const shown = (value: number) =>
  Math.abs(value) >= 100 ? Math.round(value).toLocaleString('en') : `${Number(value.toPrecision(3))}`

const columns = ['Row', 'What', 'Baseline', 'Ours', 'Compared', 'Target', ''] as const

function cells({ row, what, unit, baseline, ours, compared, target, good }: Figure): string[] {
  const sign = { ratio: '×', difference: unit, itself: unit }[compared.by]
  return [
    row,
    what,
    baseline ? `${shown(baseline.value)} ${unit} (${baseline.name})` : '',
    `${shown(ours)} ${unit}`,
    compared.by === 'itself' ? '' : `${shown(compared.value)} ${sign}`,
    target ? `${target.at === 'least' ? '≥' : '≤'} ${shown(target.value)} ${sign}` : '',
    target ? (good ? 'good' : 'MISSED') : '',
  ]
}

/** The figures as a table for a terminal. */
export function tableOf(figures: readonly Figure[]): string {
  const lines = [[...columns], ...figures.map(cells)]
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)))
  return lines
    .map((line) =>
      line
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
