import { findReason, listStaleReasons } from './equivalents.ts'
import type { Mutant } from './mutants/instrument.ts'
import type { Verdict } from './judge.ts'
import type { ReachRecord } from './reach.ts'
import { getWilsonInterval } from './sample.ts'

const maxTextLength = 100

const toPercent = (share: number) => `${(100 * share).toFixed(1)} %`

const shorten = (text: string) => text.replace(/\s+/g, ' ').slice(0, maxTextLength)

const formatMutant = (mutant: Mutant) =>
  `${mutant.file}:${mutant.line}:${mutant.column} ${mutant.kind}: ${shorten(mutant.original)} → ${shorten(mutant.mutated)}`

/** Writes what came of a sample: its score with the interval, a line for each folder, and each survivor. */
export function formatReport(
  plan: { all: readonly Mutant[]; sample: readonly Mutant[]; seed: number },
  verdicts: ReadonlyMap<number, Verdict>,
  reach: ReachRecord,
): string[] {
  const judged = plan.sample.filter((mutant) => findReason(mutant) === undefined && verdicts.has(mutant.id))
  const isKilled = ({ id }: Mutant) => verdicts.get(id)?.outcome === 'killed'
  const folders = Map.groupBy(judged, ({ file }) => /^core\/(features\/)?[^/]+/.exec(file)?.[0] ?? file)
  const minutes = judged.reduce((sum, { id }) => sum + (verdicts.get(id)?.milliseconds ?? 0), 0) / 60_000
  const formatScore = (name: string, mutants: readonly Mutant[]) => {
    const killed = mutants.filter(isKilled).length
    const { low, high } = getWilsonInterval(killed, mutants.length)
    const score = toPercent(killed / Math.max(1, mutants.length))
    return `${name}: ${killed} of ${mutants.length} killed, ${score} (95 %: ${toPercent(low)} to ${toPercent(high)})`
  }
  return [
    ...judged.filter((mutant) => !isKilled(mutant)).map((mutant) => formatSurvivor(mutant, verdicts.get(mutant.id))),
    ...reach.listUnfit().map(({ file, failure }) => `does not judge: ${file}: ${shorten(failure ?? '')}`),
    ...listStaleReasons(plan.all).map(
      ({ file, original }) => `a reason without a mutant: ${file}: ${shorten(original)}`,
    ),
    ...[...folders].map(([folder, mutants]) => formatScore(folder, mutants)),
    `${plan.sample.filter((mutant) => findReason(mutant) !== undefined).length} of the sample cannot be noticed, with a reason`,
    `${plan.sample.length} of ${plan.all.length} mutants, seed ${plan.seed}; ${minutes.toFixed(1)} minutes of lanes`,
    formatScore('score', judged),
  ]
}

function formatSurvivor(mutant: Mutant, verdict: Verdict | undefined): string {
  const tests =
    verdict?.outcome === 'unreached' ? 'no test reaches it' : `${verdict?.ran} of ${verdict?.reaching} test files`
  return `SURVIVED ${formatMutant(mutant)} (in ${mutant.within || 'the module'}; ${tests})`
}

/** Writes one line about a verdict. */
export function formatVerdict(mutant: Mutant, { outcome, killer = '', milliseconds }: Verdict): string {
  return `${outcome} ${formatMutant(mutant)} ${shorten(killer)} ${(milliseconds / 1000).toFixed(1)} s`
}
