/** The target of a figure. */
export interface Target {
  at: 'least' | 'most'
  value: number
}

/** One measured figure and its comparison. */
export interface Figure {
  row: string
  what: string
  unit: string
  baseline: { name: string; value: number } | null
  ours: number
  /** The value that the target applies to: ours divided by the baseline, their difference, or ours itself. */
  compared: { by: 'ratio' | 'difference' | 'itself'; value: number }
  /** Null for figures without a target. */
  target: Target | null
  good: boolean
}

interface FigureInput {
  row: string
  what: string
  unit: string
  ours: number
}
interface ComparedFigureInput extends FigureInput {
  target: Target
}
interface MeasuredFigureInput extends ComparedFigureInput {
  baseline: { name: string; value: number }
}

function evaluateFigure(figure: Omit<Figure, 'good'>): Figure {
  const {
    compared: { value },
    target,
  } = figure
  return { ...figure, good: target === null || (target.at === 'least' ? value >= target.value : value <= target.value) }
}

/**
 * Creates a figure whose target is a multiple of its baseline.
 * @param ratio where it was measured in pairs, and is not that of the two values
 */
export const createRatioFigure = ({ ratio, ...measured }: MeasuredFigureInput & { ratio?: number }): Figure =>
  evaluateFigure({ ...measured, compared: { by: 'ratio', value: ratio ?? measured.ours / measured.baseline.value } })

/** Creates a figure whose target is a difference from its baseline. */
export const createDifferenceFigure = (measured: MeasuredFigureInput): Figure =>
  evaluateFigure({ ...measured, compared: { by: 'difference', value: measured.ours - measured.baseline.value } })

/** Creates a figure with an absolute target; a baseline is only shown. */
export const createAbsoluteFigure = (
  measured: ComparedFigureInput & { baseline?: MeasuredFigureInput['baseline'] },
): Figure =>
  evaluateFigure({ ...measured, baseline: measured.baseline ?? null, compared: { by: 'itself', value: measured.ours } })

/** Creates a figure without a target. */
export function createInformativeFigure({
  baseline = null,
  ...measured
}: FigureInput & { baseline?: Figure['baseline'] }): Figure {
  const comparison = baseline
    ? ({ by: 'ratio', value: measured.ours / baseline.value } as const)
    : ({ by: 'itself', value: measured.ours } as const)
  return evaluateFigure({ ...measured, baseline, target: null, compared: comparison })
}

export const atLeast = (value: number): Target => ({ at: 'least', value })
export const atMost = (value: number): Target => ({ at: 'most', value })

/** Computes the median; of an even count it takes the lower of the two middle numbers. */
export function computeMedian(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  const middle = sorted[Math.floor((sorted.length - 1) / 2)]
  if (middle === undefined) throw new Error('There is no middle of nothing')
  return middle
}

/** Formats a number with three significant digits, and larger ones as whole numbers. */
export const formatNumber = (value: number) =>
  Math.abs(value) >= 100 ? Math.round(value).toLocaleString('en') : `${Number(value.toPrecision(3))}`

const columns = ['Row', 'What', 'Baseline', 'Ours', 'Compared', 'Target', ''] as const

function createCells({ row, what, unit, baseline, ours, compared, target, good }: Figure): string[] {
  const sign = { ratio: '×', difference: unit, itself: unit }[compared.by]
  return [
    row,
    what,
    baseline ? `${formatNumber(baseline.value)} ${unit} (${baseline.name})` : '',
    `${formatNumber(ours)} ${unit}`,
    compared.by === 'itself' ? '' : `${formatNumber(compared.value)} ${sign}`,
    target ? `${target.at === 'least' ? '≥' : '≤'} ${formatNumber(target.value)} ${sign}` : '',
    target ? (good ? 'good' : 'MISSED') : '',
  ]
}

/** Formats the figures as a table for a terminal. */
export function formatTable(figures: readonly Figure[]): string {
  const lines = [[...columns], ...figures.map(createCells)]
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
